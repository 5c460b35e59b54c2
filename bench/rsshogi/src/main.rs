//! Runs one piece of work with the rsshogi crate and prints `count seconds`, in seconds of processor time.
//!
//! bench-rsshogi WORK ROUNDS DEPTH SFEN, where WORK is perft, list, list32, doundo, parse, write, packed-encode,
//! packed-decode, hcp-encode, hcp-decode or mate1. DEPTH is used by perft alone.

use rsshogi::board::{
    self, LegalAll, Move32List, MoveList, Position, generate_legal_all_move32, generate_moves, perft,
};
use rsshogi::mate::solve_mate_in_one;
use std::hint::black_box;
use std::time::Duration;

/// Processor time of this process: what else runs on the machine does not count.
fn cpu_time() -> Duration {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    const CLOCK_PROCESS_CPUTIME_ID: i32 = if cfg!(target_os = "macos") { 12 } else { 2 };
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // The structure is that of 64-bit Unix systems, and the call writes nothing else.
    assert_eq!(unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time) }, 0);
    Duration::new(time.seconds as u64, time.nanoseconds as u32)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (work, rounds, depth, sfen) = (
        args[1].as_str(),
        args[2].parse::<u64>().unwrap(),
        args[3].parse::<u8>().unwrap(),
        args[4].as_str(),
    );
    let mut pos = board::position_from_sfen(sfen).unwrap();
    let packed = pos.to_packed_sfen();
    let hcp = pos.to_huffman_coded_pos();
    let legal: Vec<_> = {
        let mut list = Move32List::new();
        generate_legal_all_move32(&pos, &mut list);
        list.iter().copied().collect()
    };
    let start = cpu_time();
    let mut count = 0u64;
    match work {
        "perft" => {
            for _ in 0..rounds {
                count += perft::perft(&pos, depth).unwrap().nodes;
            }
        }
        "list" => {
            for _ in 0..rounds {
                let mut list = MoveList::new();
                generate_moves::<LegalAll>(black_box(&pos), &mut list);
                black_box(&list);
                count += 1;
            }
        }
        "list32" => {
            for _ in 0..rounds {
                let mut list = Move32List::new();
                generate_legal_all_move32(black_box(&pos), &mut list);
                black_box(&list);
                count += 1;
            }
        }
        "doundo" => {
            while count < rounds {
                for &m in &legal {
                    pos.apply_move32(m);
                    pos.undo_move32(m).unwrap();
                }
                count += legal.len() as u64;
            }
        }
        "parse" => {
            for _ in 0..rounds {
                pos.set_sfen(black_box(sfen)).unwrap();
                count += 1;
            }
        }
        "write" => {
            for _ in 0..rounds {
                black_box(pos.to_sfen(None));
                count += 1;
            }
        }
        "packed-encode" => {
            for _ in 0..rounds {
                black_box(pos.to_packed_sfen());
                count += 1;
            }
        }
        "packed-decode" => {
            let mut target = Position::empty();
            for _ in 0..rounds {
                target.set_packed_sfen(black_box(&packed), false, 0).unwrap();
                count += 1;
            }
        }
        "hcp-encode" => {
            for _ in 0..rounds {
                black_box(pos.to_huffman_coded_pos());
                count += 1;
            }
        }
        "hcp-decode" => {
            let mut target = Position::empty();
            for _ in 0..rounds {
                target.set_huffman_coded_pos(black_box(&hcp), 0).unwrap();
                count += 1;
            }
        }
        "mate1" => {
            for _ in 0..rounds {
                black_box(solve_mate_in_one(black_box(&pos)));
                count += 1;
            }
        }
        _ => panic!("unknown work {work}"),
    }
    println!("{count} {:.9}", (cpu_time() - start).as_secs_f64());
}
