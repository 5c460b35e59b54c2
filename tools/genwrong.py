# ruff: noqa: E501  (the notes are a table)
"""Writes the table of wrong arguments that tests/c/wrong.c works through, from include/komadori.h and the notes below.

    python tools/genwrong.py OUTPUT.h

For each exported function the notes say what a good call passes; what is wrong with a parameter follows from its type: a null or misaligned
pointer, a pointer into other memory of the call, a struct of another size, a reserved field that is not 0, a handle that is closed, of another kind
or made up, a buffer that is one too small. Numbers that are wrong are listed in the notes, with the status that they give.

A function, parameter or struct field without a note is an error: whoever adds one to the header adds its note here.

Notes of a function are words `parameter=note`; those of a struct's fields likewise. A note is
    5                       a number; every other one is as good
    5.                      a number that other arguments go with
    5!VALUE:0,82;PARSE:7    a number, and wrong ones by status (ARGUMENT, VALUE, POSITION, ILLEGAL, PARSE, HANDLE ...)
    @name  @name?           memory that is read, named in tests/c/wrong.c; with ? it may be null
    &name                   memory that is read and written, likewise
    out  out*N  out:BYTES   memory that is written: one entry, N of them, or so many bytes; with ? it may be null, with + it is also written when another buffer is too small
    @sizeof                 the length of the memory before it
    {name}                  a struct, by its notes under STRUCTS
    "text"                  text; its length is the next parameter
    cap:N                   a capacity, of which N entries are enough; cap: one that is found out by a first call through the parameter `count` or `needed`
    any:N                   a capacity that may be too small
    main, other, start      boards: after some moves, of another position, the even game; and problem: a mate. Jobs that are done: perft, search, batch,
                            mate and mates. Files: file, of PSV, and hcpe3
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from header import Function, Parameter, enums, functions, structs, typedefs

STATUSES = {
    "OK": "KMD_OK", "ARGUMENT": "KMD_ERR_ARGUMENT", "VALUE": "KMD_ERR_INVALID_VALUE", "POSITION": "KMD_ERR_INVALID_POSITION",
    "ILLEGAL": "KMD_ERR_ILLEGAL_MOVE", "PARSE": "KMD_ERR_PARSE", "HANDLE": "KMD_ERR_HANDLE", "BUSY": "KMD_ERR_BUSY", "IO": "KMD_ERR_IO",
    "MEMORY": "KMD_ERR_MEMORY",
}  # fmt: skip


def move(usi: str) -> int:
    """The 16-bit move of USI text."""

    def square(text: str) -> int:
        return 9 * (int(text[0]) - 1) + ord(text[1]) - ord("a")

    if "*" in usi:
        return square(usi[2:4]) | "PLNSBRG".index(usi[0]) + 1 << 7 | 1 << 14
    return square(usi[2:4]) | square(usi) << 7 | usi.endswith("+") << 15


MOVE, DROP, TOO_LONG, TOO_MANY = move("2f2e"), move("P*5e"), 1 << 28, 1 << 41
BAD_MOVES = f"0,{MOVE ^ 1},{DROP},65535"
LEGAL = f"{MOVE}!ILLEGAL:{BAD_MOVES}"
SQUARE, COLOR, STYLE, KIND, TEXT_FORM = "60!VALUE:81,255", "0!VALUE:2,255", "3!ARGUMENT:0,6,-1", "0!ARGUMENT:-1,10", "1!VALUE:0,6,-1"
PREVIOUS = "255!VALUE:82,254"

STRUCTS = {
    "error": "kind=0 offset=0 row=0 errno_value=0 problem_count=0 problems= message=",
    "usage": "boards=0 jobs=0 searchers=0 books=0 files=0 goroutines=0 reserved=0 board_bytes=0 heap_bytes=0",
    "tables": "normal=out:65536? flip_side=out*65536? mirror_file=out*65536? to_apery=out*65536? from_apery=out*65536? label=out*65536? compact=out*65536? "
    "usi=out:524288? full_to_compact=out*2187? compact_to_full=out*1496? mirror_label=out*2187? mirror_compact=out*1496?",
    "setup": "ply=1 turn=0 board= hands=",
    "setup_in": "ply=1!POSITION:0,-1 turn=0!POSITION:2,255 board= hands=",
    "setup_shown": "ply=1!POSITION:0,-1 turn=0!POSITION:2,255 board= hands=",
    "declaration": "verdict=0 points=0 required=0 pieces_in_camp=0 king_in_camp=0 in_check=0 move=0 reserved=0",
    "rules": "repetition=4!VALUE:1,-1 entering_king=3!VALUE:-1,6 move_limit=0!VALUE:-1 limit_waits=0!VALUE:-1,2 handicap=0!VALUE:-1,17",
    "rules_out": "repetition=0 entering_king=0 move_limit=0 limit_waits=0 handicap=0",
    "outcome": "reason=0 result=0 end=0 terminal=0",
    "result": "kind=0 score=0 depth=0 selective_depth=0 best_move=0 pv_length=0 nodes=0 elapsed_us=0 rows=0 hashfull=0 line_count=0 proven=0 bound=0 pv=",
    "options": "hash_mb=1!ARGUMENT:-1,65537 threads=1!ARGUMENT:-1,513 switches=0!ARGUMENT:16,2147483648 rules={rules}? minimum_ms=0!ARGUMENT:-1 delay_ms=0!ARGUMENT:-1 "
    "hard_delay_ms=0!ARGUMENT:-1 slow_mover=0!ARGUMENT:-1,1001",
    "limits": "depth=1!ARGUMENT:-1 nodes=100 movetime_ms=0!ARGUMENT:-1,1099511627777 infinite=0!ARGUMENT:2,-1 ponder=0!ARGUMENT:2,-1 multipv=1!ARGUMENT:-1,594 "
    "clock=0!ARGUMENT:2,-1 remaining_ms=0!ARGUMENT:-1 increment_ms=0!ARGUMENT:-1 byoyomi_ms=0!ARGUMENT:-1 search_moves=@moves search_move_count=2!ARGUMENT:65537",
    "mate_limits": "depth=1!ARGUMENT:-1 nodes=100 movetime_ms=0!ARGUMENT:-1,1099511627777 memory_mb=1!ARGUMENT:-1,65537 flags=7!ARGUMENT:8,-1 reserved",
    "mates_limits": "depth=1!ARGUMENT:-1 nodes=100 movetime_ms=0!ARGUMENT:-1,1099511627777 memory_mb=1!ARGUMENT:-1,65537 flags=1!ARGUMENT:2,4,-1 reserved",
    "limits_batch": "depth=1!ARGUMENT:-1 nodes=100 movetime_ms=0!ARGUMENT:-1 infinite=0!ARGUMENT:1,2 ponder=0!ARGUMENT:1,2 multipv=1!ARGUMENT:-1,594 "
    "clock=0!ARGUMENT:1,2 remaining_ms=0!ARGUMENT:-1 increment_ms=0!ARGUMENT:-1 byoyomi_ms=0!ARGUMENT:-1 search_moves=@moves search_move_count=2!ARGUMENT:65537",
    "rows": "format=4!ARGUMENT:0,8,-1 data=@psv stride=0!ARGUMENT:1,39,2097152 n=2!ARGUMENT:{TOO_MANY} threads=1!ARGUMENT:-1,1025 reserved candidates=@candidates "
    "candidate_count=3!ARGUMENT:{TOO_MANY} cancel=@zero?",
    "rows3": "format=6!ARGUMENT:0,8,-1 data=@rows3 stride=0!ARGUMENT:1,47,2097152 n=2!ARGUMENT:{TOO_MANY} threads=1!ARGUMENT:-1,1025 reserved candidates=@candidates "
    "candidate_count=3!ARGUMENT:{TOO_MANY} cancel=@zero?",
    "decode": "features2_planes=57!ARGUMENT:56,118,-1 labels=0!ARGUMENT:2,-1 label_bytes=8!ARGUMENT:0,3,16 check=0!ARGUMENT:2,-1 convention=0!ARGUMENT:-1,5 "
    "element=0!ARGUMENT:-1,4 mirror_all=0!ARGUMENT:2,-1 mirror=@flags? value_scale=0.0!ARGUMENT:NAN,INFINITY "
    "features1=out:2*62*81*4/4? features2=out:2*57*81*4/4? label=out:16/8? value=out*2? result=out*2? move=out*2? eval=out*2? turn=out*2? ply=out*2? key=out*2? "
    "ending=out*2? stack=@stack stack_count=2!ARGUMENT:0,513 planes=out:2*2*81*4/4? mask=out*2*2187? mask_bits=out*2*274? policy=out*2*2187? "
    "policy_labels=out*2*4? policy_weights=out*2*4? policy_width=4!ARGUMENT:-1,594 nnue=1!ARGUMENT:0,4 nnue_indices=out:2*2*38*4/4? nnue_bytes=4!ARGUMENT:0,5 "
    "nnue_pad=0!ARGUMENT:2,-1 temperature=1.0!ARGUMENT:-1.0,NAN blend=0.0!ARGUMENT:-0.5,1.5,NAN mirror_share=0.0!ARGUMENT:-0.5,1.5,NAN mirror_seed=0 first_row=0 "
    "row_numbers=@numbers?",
    "facts": "rule=3!ARGUMENT:-1,6 key=out*2? turn=out*2? in_check=out*2? legal_count=out*2? mate_in_one=out*2? verdict=out*2? points=out*2?",
    "conversion": "format=6!ARGUMENT:0,8,-1 flip=0!ARGUMENT:2,-1 mirror=0!ARGUMENT:2,-1 convention=0!ARGUMENT:-1,5 new_convention=0!ARGUMENT:-1,5 out=out:2*48 "
    "candidates=out*2 lost_plies=0 lost_endings=0 lost_candidates=0 lost_untrained=0 lost_opponents=0 lost_extras=0",
    "file": "which=1!ARGUMENT:-1,4 data=@game length=@sizeof threads=1!ARGUMENT:-1,1025 reserved",
    "kifu": "format=0!ARGUMENT:-1,8 encoding=0!ARGUMENT:-1,6 refuse_illegal=0!ARGUMENT:-1,2",
    "kifu_write": "format=1!ARGUMENT:0,-1,8 encoding=0!ARGUMENT:-1,6 csa_version=0!ARGUMENT:-1,21,23",
    "kifu_losses": "format=6!ARGUMENT:0,-1,8 encoding=0!ARGUMENT:-1,6 csa_version=0!ARGUMENT:-1,21,23",
    "rows_out": "format=0 data= stride=0 n=0 threads=0 reserved=0 candidates= candidate_count=0 cancel=",
    "hcpe3_out": "which=0 data= length=0 threads=0 reserved=0",
    "room": "reserved moves=out:2080/8 words=@words picked=out*1024",
}
STRUCTS = {name: notes.replace("{TOO_MANY}", str(TOO_MANY)) for name, notes in STRUCTS.items()}

# Structs whose memory is filled from a named source before the notes of their fields are applied.
FILLED = {"setup_in": "setup", "setup_shown": "setup"}

PLAIN = "square index number flags piece_type piece a b ki2 move black white"
FUNCTIONS = {
    "kmd_last_error": "error={error}",
    "kmd_hand_pack": "counts=@hand hand=out",
    "kmd_hand_unpack": "hand=3!VALUE:32,2147483648 counts=out",
    "kmd_set_threads": "n=2!ARGUMENT:0,-1,1025",
    "kmd_threads": "n=out",
    "kmd_get_usage": "usage={usage}",
    "kmd_arena": "address=out",
    "kmd_adopt": "address=0=ARGUMENT!ARGUMENT:1,4096,140737488351232",
    "kmd_move_from_usi": 'text="7g7f" move=out',
    "kmd_move_to_apery": f"move={MOVE}!VALUE:127,65535 apery=out",
    "kmd_move_from_apery": f"apery={MOVE}!VALUE:127,65535 move=out",
    "kmd_move32_from_apery32": f"apery={MOVE | 1 << 16}!VALUE:127,4294967295 turn={COLOR} move=out",
    "kmd_move_label": f"move={MOVE}!VALUE:0,127,65535 turn={COLOR} compact=0 label=out",
    "kmd_fill_move_tables": "tables={tables}",
    "kmd_board_from_sfen": 'text="4k4/9/9/9/9/9/9/9/4K4 b - 1" board=out',
    "kmd_board_from_position": 'text="startpos moves 7g7f" board=out',
    "kmd_board_from_setup": "setup={setup_in} board=out",
    "kmd_board_from_hcp": "bytes=@hcp board=out",
    "kmd_board_from_packed_sfen": "bytes=@packed_sfen board=out",
    "kmd_board_set_sfen": 'text="4k4/9/9/9/9/9/9/9/4K4 b - 1"',
    "kmd_board_set_position": 'text="startpos moves 7g7f"',
    "kmd_board_set_setup": "setup={setup_in}",
    "kmd_board_set_hcp": "bytes=@hcp",
    "kmd_board_set_packed_sfen": "bytes=@packed_sfen",
    "kmd_board_get_setup": "setup={setup}",
    "kmd_board_to_hcp": "bytes=out*32",
    "kmd_board_to_packed_sfen": "bytes=out*32",
    "kmd_board_push": f"move={LEGAL}",
    "kmd_board_push32": f"move={LEGAL},{MOVE | 2 << 16}",
    "kmd_board_push_unchecked": f"move={MOVE}!ILLEGAL:0,{DROP},65535,{move('8d8e')},{move('2h2f')}",
    "kmd_board_pop": "move=out?",
    "kmd_board_moves": "moves=out capacity=cap: count=out",
    "kmd_board_legal_moves": "moves=out capacity=cap: count=out",
    "kmd_board_legal_moves32": "moves=out capacity=cap: count=out",
    "kmd_board_list": "moves=out*1024",
    "kmd_board_is_legal": f"move={MOVE} legal=out",
    "kmd_board_complete_move32": f"move={LEGAL} full=out",
    "kmd_board_apery32": f"move={LEGAL} apery=out",
    "kmd_board_move_of_label": "label=@value:label!VALUE:2187,65535;ILLEGAL:2186 compact=0. move=out",
    "kmd_board_is_checkmate": "mated=out",
    "kmd_board_mate_in_one": "move=out",
    "kmd_board_gives_check": f"move={LEGAL} check=out",
    "kmd_board_problems": "problems=out capacity=any:8 count=out",
    "kmd_quick_set_sfen": "text=@sfen length=27!ARGUMENT:-1,-2147483648",
    "kmd_quick_sfen": "buffer=out:256",
    "kmd_quick_list": "room={room}",
    "kmd_quick_words": "moves=@moves count=2!ARGUMENT:-1,-2147483648 words=@words picked=out*2",
    "kmd_board_keys": "key=out? board_key=out? hand_key=out?",
    "kmd_board_pawn_key": "key=out",
    "kmd_board_material_key": "key=out",
    "kmd_board_key128": "words=out",
    "kmd_handicap_from_name": 'text="two-piece" handicap=out',
    "kmd_handicap_name": "handicap=6!VALUE:-1,17 japanese=0",
    "kmd_setup_handicap": "handicap=6!VALUE:-1,16,17 setup={setup}",
    "kmd_setup_to_handicap": "setup={setup} handicap=out",
    "kmd_setup_problems": "setup={setup} problems=out capacity=any:8 count=out",
    "kmd_setup_from_text": f'format={TEXT_FORM} text="4k4/9/9/9/9/9/9/9/4K4 b - 1" setup={{setup}}',
    "kmd_setup_to_text": f"setup={{setup_shown}} format={TEXT_FORM}",
    "kmd_board_to_text": f"format={TEXT_FORM}",
    "kmd_setup_box": "setup={setup} counts=out",
    "kmd_setup_give_box": f"setup={{setup}} color={COLOR}",
    "kmd_setup_flip_side": "setup={setup} flipped={setup}",
    "kmd_setup_mirror_file": "setup={setup} mirrored={setup}",
    "kmd_board_format_move": f"style={STYLE} move={LEGAL}",
    "kmd_board_parse_move": f'style={STYLE.replace("3", "1", 1)} text="2f2e" move=out',
    "kmd_board_format_moves": f"style={STYLE} moves=@legal n=2!ARGUMENT:{TOO_MANY} offsets=out*3+ text=out capacity=cap:offsets/2",
    "kmd_ki2_from_text": 'text="▲５八金右" ki2=out',
    "kmd_board_ki2": f"previous={PREVIOUS} move={LEGAL} ki2=out",
    "kmd_board_resolve_ki2": f"previous={PREVIOUS} ki2=@value:ki2!VALUE:4294967295 move=out",
    "kmd_board_generate": f"kind={KIND} square=60 moves=out capacity=cap: count=out",
    "kmd_board_generate_stage": f"kind={KIND} square=60 stage=1!ARGUMENT:-1,3 moves=out capacity=cap: count=out",
    "kmd_quick_generate": f"kind={KIND} square=60 stage=-1!ARGUMENT:-2,3 moves=out*1024",
    "kmd_board_attackers_to": f"square={SQUARE} color={COLOR} words=out",
    "kmd_board_attacks_by": f"square={SQUARE} words=out",
    "kmd_board_attacked_by": f"color={COLOR} words=out",
    "kmd_board_checkers": "words=out",
    "kmd_board_blockers": f"color={COLOR} words=out",
    "kmd_board_pinned": f"color={COLOR} words=out",
    "kmd_board_discoverers": "words=out",
    "kmd_board_check_squares": "piece_type=1!VALUE:0,15 words=out",
    "kmd_board_is_attacked": f"square={SQUARE} color={COLOR} attacked=out",
    "kmd_board_attack_counts": "xray=0 counts=out",
    "kmd_board_attack_counts_by_kind": "xray=0 counts=out",
    "kmd_board_mobility": "counts=out",
    "kmd_board_see": f"move={LEGAL} value=out",
    "kmd_board_repetition": "state=out",
    "kmd_board_search_repetition": "max_ply=4 state=out",
    "kmd_board_is_repetition": "count=4 repeated=out",
    "kmd_board_declaration": "rule=3!VALUE:-1,6 declaration={declaration}",
    "kmd_rules_profile": 'name="csa" rules={rules_out}',
    "kmd_board_outcome": "rules={rules} declare=1!VALUE:-1,3 outcome={outcome}",
    "kmd_job_wait": "job=perft timeout_ms=20!ARGUMENT:-1,1001",
    "kmd_job_cancel": "job=perft",
    "kmd_job_poll": "job=perft result={result}",
    "kmd_job_finish": "job=perft result={result}?",
    "kmd_board_mates_in_one": "board=problem moves=out capacity=cap: count=out",
    "kmd_perft_start": "depth=1!ARGUMENT:-1,65 job=out",
    "kmd_searcher_new": "options={options}? searcher=out",
    "kmd_search_start": "board=other limits={limits} job=out",
    "kmd_search_ponderhit": "job=search",
    "kmd_search_infos": "job=search infos=out capacity=any:1 count=out",
    "kmd_search_lines": "job=search lines=out capacity=cap: count=out",
    "kmd_usi_start": 'input=-1!ARGUMENT:-2,-2147483648 output=1!ARGUMENT:-1 commands="quit" job=out',
    "kmd_mate_start": "board=problem limits={mate_limits}? job=out",
    "kmd_mate_moves": "job=mate moves=out capacity=cap: count=out",
    "kmd_mate_first_moves": "job=mate moves=out capacity=cap: count=out",
    "kmd_quick_mate": "board=problem nodes=10!ARGUMENT:0,10001,-1 shortest=0!ARGUMENT:-1,2 result={result}",
    "kmd_mate_batch_start": "rows={rows} limits={mates_limits}? job=out",
    "kmd_mate_batch_found": "job=mates first=0!ARGUMENT:3,1099511627776 count=2!ARGUMENT:3,1099511627776 found=out*2",
    "kmd_mate_batch_moves": "job=mates offsets=out*3+ moves=out capacity=cap:offsets/2",
    "kmd_book_open": 'path="@book" ignore_ply=1!ARGUMENT:-1,2 flip=1!ARGUMENT:-1,2 book=out',
    "kmd_book_lookup": "board=start moves=out capacity=cap: count=out",
    "kmd_book_size": "positions=out",
    "kmd_labels_batch": f"moves=@moves turns=@flags? n=2!ARGUMENT:{TOO_MANY} compact=0 threads=1!ARGUMENT:-1,1025 labels=out*2",
    "kmd_plane_name": "plane=3!VALUE:216,65535",
    "kmd_planes_parse": 'text="hands.own" planes=out capacity=cap: count=out',
    "kmd_search_batch_start": "rows={rows} options={options}? limits={limits_batch} job=out",
    "kmd_search_batch_found": "job=batch first=0!ARGUMENT:3,1099511627776 count=2!ARGUMENT:3,1099511627776 found=out*2",
    "kmd_decode_batch": "rows={rows} decode={decode}",
    "kmd_record_labels_batch": "rows={rows} full=out*2? compact=out*2?",
    "kmd_sfens_batch": "rows={rows} offsets=out*3+ text=out capacity=cap:offsets/2",
    "kmd_encode_batch": f"text=@texts offsets=@offsets n=2!ARGUMENT:{TOO_MANY} format=1!ARGUMENT:0,3,8,-1 threads=1!ARGUMENT:-1,1025 packed=out*64",
    "kmd_legal_moves_batch": "rows={rows} offsets=out*3+ moves=out capacity=cap:offsets/2",
    "kmd_legal_masks_batch": "rows={rows} compact=0. bits=0. masks=out*2*2187",
    "kmd_mirrored_batch": f"share=0.5!ARGUMENT:-0.1,1.1,NAN seed=0 numbers=@numbers n=2!ARGUMENT:{TOO_MANY} mirrored=out*2",
    "kmd_facts_batch": "rows={rows} facts={facts}",
    "kmd_play_batch": "rows={rows} moves=@played format=1!ARGUMENT:0,3,8,-1 out=out*64",
    "kmd_attack_counts_batch": "rows={rows} xray=0 by_kind=1. counts=out*2*2*15*81",
    "kmd_moves_of_labels_batch": "rows={rows} labels=@labels compact=0 moves=out*2",
    "kmd_convert_batch": "rows={rows} conversion={conversion}",
    "kmd_gather_batch": f"rows={{rows}} numbers=@numbers n=2!ARGUMENT:{TOO_MANY} out=out*80",
    "kmd_hcpe3_index": "data=@game length=@sizeof base=0!ARGUMENT:-1,9223372036854775807 last=1 games=out capacity=any:1 count=out used=out",
    "kmd_hcpe3_rows_batch": f"file={{file}} games=@zeros places=@places n=2!ARGUMENT:{TOO_MANY} rows=out*96 at=out*2",
    "kmd_hcpe3_candidates": f"file={{file}} at=@at n=2!ARGUMENT:{TOO_MANY} rows=&rows3 first=0!ARGUMENT:9007199254740992 candidates=out+ capacity=cap: count=out",
    "kmd_hcpe3_check_batch": f"file={{file}} games=@zeros n=2!ARGUMENT:{TOO_MANY} check=0!ARGUMENT:-1,2 counts=out*2?",
    "kmd_hcpe3_pack": "rows={rows3} last=1 out=out capacity=cap:needed needed=out+ used=out+ lost_plies=out+",
    "kmd_kifu_read": 'text="7g7f 3c3d" options={kifu}? buffer=out:1/8 capacity=cap:needed needed=out+',
    "kmd_kifu_check": "kifu=@kifu size=@sizeof buffer=out:1/8 capacity=cap:needed needed=out+",
    "kmd_kifu_write": "kifu=@kifu size=@sizeof options={kifu_write}",
    "kmd_kifu_losses": "kifu=@kifu size=@sizeof options={kifu_losses}",
    "kmd_board_set_kifu": "kifu=@kifu size=@sizeof node=0!VALUE:5,4294967295",
    "kmd_kifu_read_batch": f"text=@texts offsets=@offsets n=2!ARGUMENT:{TOO_MANY} options={{kifu}}? threads=1!ARGUMENT:-1,1025 buffer=out:1/8 capacity=cap:places/2 "
    "places=out*3+",
    "kmd_file_open": 'path="@psv" format=0!ARGUMENT:-1,8 file=out',
    "kmd_file_size": "format=out? bytes=out? rows=out?",
    "kmd_file_rows": "first=0!ARGUMENT:3,-1 count=2!ARGUMENT:3,-1 rows={rows_out}",
    "kmd_file_hcpe3": "file=hcpe3 whole={hcpe3_out}",
    "kmd_file_write": 'path="@written" data=@psv size=@sizeof',
    "kmd_kifu_analyses": f"kifu=@kifu size=@sizeof analyses=out capacity=cap: count=out moves=out:4/2 move_capacity=2!ARGUMENT:{1 << 62} move_count=out+",
    "kmd_board_records": "format=4!ARGUMENT:0,6,-1 convention=0!ARGUMENT:-1,5 evals=@evals result=0!VALUE:-1,3 records=out:40 capacity=cap: count=out",
}

# In these, memory that is written may not share bytes with other memory of the call; in all others nothing comes of it beyond what was asked for.
APART = re.compile(r"_batch$|^kmd_hcpe3|^kmd_fill|^kmd_quick_list$|_records$|^kmd_kifu|format_moves$|planes_parse$|^kmd_mate_batch_moves$")

WIDTHS = {
    "int8_t": 1,
    "uint8_t": 1,
    "int16_t": 2,
    "uint16_t": 2,
    "int32_t": 4,
    "uint32_t": 4,
    "int64_t": 8,
    "uint64_t": 8,
    "size_t": 8,
    "double": 8,
    "char": 1,
    "float": 4,
}
HANDLES = {"kmd_board": "main", "kmd_job": "perft", "kmd_searcher": "searcher", "kmd_book": "book", "kmd_file": "file"}


class Missing(Exception):
    pass


def base_of(p: Parameter) -> str:
    return p.type.replace("const ", "").replace("*", "").strip()


def quote(text: str) -> str:
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "".join(f"\\{b:03o}" for b in c.encode()) for c in text) + '"'


class Table:
    """The places of one function: its arguments, and the fields of structs that they point to."""

    def __init__(self, f: Function) -> None:
        self.f = f
        self.rows: list[str] = []
        self.names: list[str] = []
        self.wrongs: list[str] = []
        self.status = "KMD_OK"

    def wrong(self, note: str, real: bool) -> str:
        cases = []
        for group in filter(None, note.split(";")):
            status, values = group.split(":")
            for v in values.split(","):
                cases.append(f"{{0, {v}, {STATUSES[status]}}}" if real else f"{{(int64_t){v}{'u' if int(v) > 2**63 - 1 else ''}, 0, {STATUSES[status]}}}")
        if not cases:
            return "NULL, 0"
        self.wrongs.append(", ".join(cases))
        return f"wrong_{self.f.name}_{len(self.wrongs) - 1}, {len(cases)}"

    def add(self, name: str, parent: int, at: str, kind: str, *, width: int = 8, align: str = "1", flags: str = "0", source: str = "NULL", size: str = "0",
            value: str = "0", real: str = "0", pair: int = -1, wrong: str = "NULL, 0") -> int:  # fmt: skip
        self.names.append(name)
        self.rows.append(f'{{"{name}", {parent}, {at}, {width}, {kind}, {align}, {flags}, {source}, {size}, {value}, {real}, {pair}, {wrong}}}')
        return len(self.rows) - 1

    def place(self, p: Parameter, note: str | None, name: str, parent: int, at: str) -> None:
        types, base = typedefs(), base_of(p)
        root = types.get(base, base)
        pointer = "*" in p.type or (bool(p.array) and parent < 0)
        if not pointer and base in HANDLES:
            which = note or HANDLES[base]
            self.add(name, parent, at, f"HANDLE_{which.upper()}")
            return
        if p.name == "size" and parent >= 0:
            self.add(name, parent, at, "SIZE", width=4, value=f"sizeof({self.struct})")
            return
        if p.name == "reserved" and parent >= 0 and note is None:
            self.add(name, parent, at, "RESERVED", width=WIDTHS[root])
            return
        if note is None:
            raise Missing(f"{self.f.name}: no note for {name}")
        if note == "":
            return  # an array within a struct, filled or written as a whole
        if not pointer:
            self.number(p, note, name, parent, at, root)
            return
        const = p.type.startswith("const")
        nullable = note.endswith("?") or note.endswith("?+")
        flags = ["NULLABLE"] if nullable else []
        note = note.rstrip("?")
        align = f"_Alignof({base if root != 'void' else 'char'})"
        if p.type.count("*") == 2:
            base, align = "void *", "_Alignof(void *)"
        if note.startswith("{"):
            preset = note.strip("{}")
            struct = base
            if not const:
                flags.append("WRITTEN")
            source = f"source_{FILLED[preset]}" if preset in FILLED else "NULL"
            me = self.add(name, parent, at, "STRUCT", align=align, flags=" | ".join(flags) or "0", source=source, size=f"sizeof({struct})")
            self.fields(struct, preset, name, me)
            return
        if note.startswith(("@", "&")):
            if note[0] == "&":
                flags.append("WRITTEN")
            which = note[1:]
            self.add(name, parent, at, "MEMORY", align=align, flags=" | ".join(flags) or "0", source=f"source_{which}", size=f"sizeof source_{which}")
            return
        if note.startswith("out"):
            flags.append("WRITTEN")
            if note.endswith("+"):
                flags.append("SET_IF_SHORT")
                note = note[:-1]
            rest = note[3:]
            array = "*".join(p.array)
            size = f"sizeof({base})" + (f"*{array}" if array else "")
            if rest.startswith(":"):
                size, _, alignment = rest[1:].partition("/")
                align = alignment or align
            elif rest.startswith("*"):
                size += rest
            self.add(name, parent, at, "MEMORY", align=align, flags=" | ".join(flags), size=f"({size})")
            return
        raise Missing(f"{self.f.name}: {name} has the note {note}")

    def number(self, p: Parameter, note: str, name: str, parent: int, at: str, root: str) -> None:
        real = root == "double"
        kind = "REAL" if real else "VALUE"
        if note == "@sizeof":
            self.add(name, parent, at, "LENGTH", pair=len(self.rows) - 1, wrong=self.wrong(f"ARGUMENT:{1 << 47}", False))
            return
        if note.startswith("@value:"):
            note, _, wrong = note.partition("!")
            self.add(name, parent, at, "VALUE", width=WIDTHS[root], source=f"&value_{note[7:]}", wrong=self.wrong(wrong, False))
            return
        value, _, wrong = note.partition("!")
        if value.endswith("."):
            value, kind = value[:-1], "CONSTANT"
        if "=" in value:
            value, _, status = value.partition("=")
            self.status = STATUSES[status]
        self.add(name, parent, at, kind, width=WIDTHS[root], value="0" if real else f"(int64_t){value}", real=value if real else "0",
                 wrong=self.wrong(wrong, real))  # fmt: skip

    def fields(self, struct: str, preset: str, name: str, parent: int) -> None:
        notes = words(STRUCTS[preset])
        outer, self.struct = getattr(self, "struct", ""), struct
        known = {f.name for f in structs()[struct]}
        if stray := set(notes) - known:
            raise Missing(f"{struct} has no field {', '.join(stray)}")
        for f in structs()[struct]:
            self.struct = struct
            note = notes.get(f.name)
            sizes = [int(a) if a.isdigit() else enums()[a] for a in f.array]
            if f.array and note:
                for i in range(sizes[0]):
                    self.place(Parameter(f.type, f.name), note, f"{name}->{f.name}[{i}]", parent, f"offsetof({struct}, {f.name}[{i}])")
            else:
                self.place(f, note, f"{name}->{f.name}", parent, f"offsetof({struct}, {f.name})")
        self.struct = outer

    def run(self, notes: dict[str, str]) -> None:
        parameters = self.f.parameters
        if stray := set(notes) - {p.name for p in parameters}:
            raise Missing(f"{self.f.name} has no parameter {', '.join(stray)}")
        for i, p in enumerate(parameters):
            note = notes.get(p.name)
            before = parameters[i - 1] if i else None
            after = parameters[i + 1] if i + 1 < len(parameters) else None
            if note is not None and note.startswith('"'):
                text = note.strip('"')
                if text.startswith("@"):
                    self.add(p.name, -1, str(i), "MEMORY", source=f"{text[1:]}_path", size="0", flags="TEXT")
                else:
                    self.add(p.name, -1, str(i), "MEMORY", source=quote(text), size=f"sizeof({quote(text)}) - 1", flags="TEXT")
            elif before and notes.get(before.name, "").startswith('"') and base_of(p) == "size_t":
                self.add(p.name, -1, str(i), "LENGTH", pair=self.names.index(before.name), wrong=self.wrong(f"ARGUMENT:{TOO_LONG}", False))
            elif p.type == "char *" and note is None and after and after.name == "capacity":
                self.add(p.name, -1, str(i), "MEMORY", flags="WRITTEN", size="1")
            elif p.name == "needed" and note is None:
                self.add(p.name, -1, str(i), "COUNT", align="8", flags="WRITTEN | NULLABLE | SET_IF_SHORT", size="8")
            elif p.name == "count" and "*" in p.type and base_of(p) == "size_t":
                self.add(
                    p.name, -1, str(i), "COUNT", align="8", flags="WRITTEN | SET_IF_SHORT" + (" | NULLABLE" if NULL_COUNT.search(self.f.name) else ""), size="8"
                )
            elif p.name == "capacity":
                note = note or "cap:"
                buffer = self.names.index(before.name)  # type: ignore[union-attr]
                kind, _, n = note.partition(":")
                if kind == "any":
                    self.add(p.name, -1, str(i), "ROOM", value=n, pair=buffer, wrong=self.wrong(f"ARGUMENT:{1 << 62}", False))
                else:
                    learn, _, index = n.partition("/")
                    self.add(
                        p.name,
                        -1,
                        str(i),
                        "CAPACITY",
                        source=quote(learn or "count"),
                        value=index or "0",
                        pair=buffer,
                        wrong=self.wrong(f"ARGUMENT:{1 << 62}", False),
                    )
            elif p.name == "row_status":
                self.add(p.name, -1, str(i), "MEMORY", align="4", flags="WRITTEN | NULLABLE | SET_IF_SHORT", size="8")
            elif p.name in ("job", "searcher", "book", "board", "file") and note == "out":
                self.add(p.name, -1, str(i), f"MADE_{p.name.upper()}", align="8", flags="WRITTEN", size="8")
            elif p.type == "kmd_board *" and note is None:
                self.add(p.name, -1, str(i), "MADE_BOARD", align="8", flags="WRITTEN", size="8")
            elif p.type.count("*") == 2:
                self.add(p.name, -1, str(i), "MEMORY", align="8", flags="WRITTEN", size="8")
            elif note is None and "*" not in p.type and not p.array and p.name in PLAIN.split() and base_of(p) not in HANDLES:
                self.number(p, "1", p.name, -1, str(i), typedefs().get(base_of(p), base_of(p)))
            elif p.name == "other" and base_of(p) == "kmd_board":
                self.place(p, "other", p.name, -1, str(i))
            else:
                self.place(p, note, p.name, -1, str(i))


# Lists whose count may be null when there is a buffer.
NULL_COUNT = re.compile(r"^kmd_board_(moves|mates|legal|generate|problems|records)|^kmd_setup_problems")


def words(notes: str) -> dict[str, str]:
    found = {}
    for word in re.findall(r'\w+=(?:"[^"]*"|\S*)|\w+', notes):
        name, equals, note = word.partition("=")
        if equals:
            found[name] = note
    return found


def thunk(f: Function) -> str:
    arguments = []
    for i, p in enumerate(f.parameters):
        if p.array:
            rest = "".join(f"[{a}]" for a in p.array[1:])
            arguments.append(f"({p.type} (*){rest})(uintptr_t)a[{i}]" if rest else f"({p.type} *)(uintptr_t)a[{i}]")
        elif "*" in p.type:
            arguments.append(f"({p.type})(uintptr_t)a[{i}]")
        elif p.type == "double":
            arguments.append(f"real_of(a[{i}])")
        else:
            arguments.append(f"({p.type})a[{i}]")
    return f"static int64_t call_{f.name}(const uint64_t *a) {{ (void)a; return (int64_t){f.name}({', '.join(arguments)}); }}"


def main() -> None:
    found = functions()
    if stray := set(FUNCTIONS) - {f.name for f in found}:
        sys.exit(f"tools/genwrong.py: {', '.join(sorted(stray))} is not in the header")
    out = ["/* Generated by tools/genwrong.py from include/komadori.h. */"]
    table, missing = [], []
    for f in found:
        t = Table(f)
        try:
            t.run(words(FUNCTIONS.get(f.name, "")))
        except Missing as what:
            missing.append(str(what))
            continue
        out.append(thunk(f))
        out += [f"static const wrong wrong_{f.name}_{i}[] = {{{cases}}};" for i, cases in enumerate(t.wrongs)]
        places = f"places_{f.name}" if t.rows else "NULL"
        if t.rows:
            out.append(f"static const place {places}[] = {{\n    " + ",\n    ".join(t.rows) + "\n};")
        returns = (
            "STATUS" if f.returns == "kmd_status" else "NUMBER" if f.returns == "int32_t" and f.name.startswith(("kmd_quick", "kmd_board_list")) else "PLAIN"
        )
        apart = int(bool(APART.search(f.name)))
        table.append(f'{{"{f.name}", call_{f.name}, {len(f.parameters)}, {places}, {len(t.rows)}, {returns}, {apart}, {t.status}}}')
    if missing:
        sys.exit("tools/genwrong.py lacks notes (see its head):\n  " + "\n  ".join(missing))
    out.append("static const function functions[] = {\n    " + ",\n    ".join(table) + "\n};")
    Path(sys.argv[1]).write_text("\n".join(out) + "\n", encoding="utf-8")
    print(f"wrong    {len(found)} functions in the table, none of the header is missing")


if __name__ == "__main__":
    main()
