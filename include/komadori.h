/*
 * komadori.h - the C interface of komadori, a library for shogi (将棋) and its training data.
 *
 * Conventions
 *   - Squares are 9*file + rank, 1a = 0 .. 9i = 80, none = 81. Black (先手) is 0, White (後手) 1. Ply counts from 1.
 *     Piece types 1..14 are P L N S B R G K +P +L +N +S +B +R; a piece is its type, + 16 for White; 0 is empty.
 *     docs/conventions.md has all numbers, docs/formats.md all formats.
 *   - A function that can fail returns kmd_status: KMD_OK or a negative status. Results go to out-pointers, last in the list,
 *     which are untouched on failure unless the comment says otherwise. kmd_last_error() tells more, per thread.
 *   - Text comes in as pointer and length (UTF-8, no terminator needed) and goes out as buffer, capacity and needed length: the
 *     text is written without terminator when it fits, else KMD_ERR_BUFFER; *needed is set in both cases. A null buffer with capacity 0 asks
 *     for the length.
 *   - Nothing that is returned has to be freed. Boards, searchers and jobs are handles and are closed; closing 0 does nothing.
 *     A stale, foreign or doubly closed handle is KMD_ERR_HANDLE.
 *   - One handle serves one thread at a time: a second one gets KMD_ERR_BUSY and changes nothing. Different handles are independent.
 *   - In a child made by fork() every function returns KMD_ERR_FORKED (those that return a plain value: 0) and does nothing: the Go runtime
 *     inside does not survive a fork. Load a private copy of the library in the child and call kmd_adopt() there; boards made before the fork then go on working.
 *   - Structs that may grow begin with their own size; fill it with sizeof. Fields named reserved are 0.
 *   - A wrong argument changes nothing and is KMD_ERR_ARGUMENT unless a comment names another status: null where something is wanted, a pointer that is not
 *     aligned to what it points to, another size, a reserved field that is not 0, a number outside its range, a buffer larger than memory can be. So is memory
 *     that a function with several buffers writes and that shares bytes with another of its buffers.
 */
#ifndef KOMADORI_H
#define KOMADORI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KMD_VERSION_MAJOR 0
#define KMD_VERSION_MINOR 1
#define KMD_VERSION_PATCH 0
/* Raised when a function or struct changes in a way that old programs would notice. */
#define KMD_ABI_VERSION 1

#if defined(_WIN32) && defined(KMD_BUILDING)
#define KMD_API __declspec(dllexport)
#elif defined(_WIN32)
#define KMD_API
#else
#define KMD_API __attribute__((visibility("default")))
#endif

/* ------------------------------------------------------------------------------------------------------------- Statuses */

typedef int32_t kmd_status;

enum {
    KMD_OK = 0,
    KMD_ERR_PARSE = -1,            /* text or bytes do not follow their grammar */
    KMD_ERR_ILLEGAL_MOVE = -2,     /* well-formed move, not legal in this position */
    KMD_ERR_INVALID_POSITION = -3, /* a position that breaks rules, or lacks what the operation needs */
    KMD_ERR_INVALID_VALUE = -4,    /* a number outside its range */
    KMD_ERR_ARGUMENT = -5,         /* null pointer, wrong struct size, bad option */
    KMD_ERR_BUFFER = -6,           /* the buffer is too small; the needed length is filled in */
    KMD_ERR_HANDLE = -7,           /* closed, foreign, stale or broken handle */
    KMD_ERR_BUSY = -8,             /* the handle is in use by another thread; of a job: not done yet */
    KMD_ERR_FORKED = -9,           /* this copy of the library belongs to the parent process */
    KMD_ERR_CANCELLED = -10,       /* stopped by kmd_job_cancel(); the result so far is filled in */
    KMD_ERR_MEMORY = -11,          /* no memory, or a table is full */
    KMD_ERR_IO = -12,              /* the operating system refused */
    KMD_ERR_INTERNAL = -13,        /* a bug in komadori */
    KMD_ERR_AMBIGUOUS_MOVE = -14   /* the words of a move fit more than one legal move */
};

/* One thing wrong or odd about a position. */
typedef struct kmd_problem {
    int32_t kind;       /* KMD_PROBLEM_... */
    uint8_t color;      /* whose, where it is one side's */
    uint8_t square;     /* where, or 81 */
    uint8_t piece_type; /* what, or 0 */
    uint8_t reserved;
} kmd_problem;

enum {
    KMD_PROBLEM_NO_KING = 1, /* accepted by boards */
    KMD_PROBLEM_TWO_KINGS = 2,
    KMD_PROBLEM_DOUBLE_PAWN = 3,
    KMD_PROBLEM_INVALID_HAND_COUNT = 4,
    KMD_PROBLEM_INVALID_PLACEMENT = 5,
    KMD_PROBLEM_TOO_MANY_PIECES = 6,
    KMD_PROBLEM_OPPONENT_IN_CHECK = 7, /* accepted by boards */
    KMD_PROBLEM_INVALID_TURN = 8,
    KMD_PROBLEM_INVALID_PLY = 9
};

enum { KMD_MAX_PROBLEMS = 256 }; /* no position has more */

/* The last failure of the calling thread. */
typedef struct kmd_error {
    uint32_t size; /* sizeof(kmd_error), by the caller */
    int32_t kind;  /* the status */
    int64_t offset; /* byte offset in the input, or -1 */
    int64_t row;    /* row of a batch, or -1 */
    int32_t errno_value; /* of KMD_ERR_IO, else 0 */
    uint32_t problem_count;
    kmd_problem problems[KMD_MAX_PROBLEMS]; /* of KMD_ERR_INVALID_POSITION: all that is wrong or odd */
    char message[512];        /* one line, terminated: operation, kind, what was found and wanted (row, offset) */
} kmd_error;

/* Copies the details of this thread's last failed call. Never fails for a valid pointer. Since 0.1. */
KMD_API kmd_status kmd_last_error(kmd_error *error);

/* -------------------------------------------------------------------------------------------------------------- Values */

enum { KMD_BLACK = 0, KMD_WHITE = 1 };

/* Kinds of pieces. A piece is its kind, + KMD_WHITE_PIECE for White; 0 is an empty square. */
enum {
    KMD_NO_PIECE = 0,
    KMD_PAWN = 1,
    KMD_LANCE = 2,
    KMD_KNIGHT = 3,
    KMD_SILVER = 4,
    KMD_BISHOP = 5,
    KMD_ROOK = 6,
    KMD_GOLD = 7,
    KMD_KING = 8,
    KMD_PRO_PAWN = 9,
    KMD_PRO_LANCE = 10,
    KMD_PRO_KNIGHT = 11,
    KMD_PRO_SILVER = 12,
    KMD_HORSE = 13,
    KMD_DRAGON = 14,
    KMD_WHITE_PIECE = 16
};

enum { KMD_SQUARES = 81, KMD_NO_SQUARE = 81, KMD_HAND_KINDS = 7 };

/* Who won. */
enum { KMD_BLACK_WIN = 0, KMD_WHITE_WIN = 1, KMD_DRAW = 2 };

/* How a game ended, in the codes that KMD_RESULT_RSSHOGI files store. */
enum {
    KMD_END_BLACK_WIN = 0,
    KMD_END_WHITE_WIN = 1,
    KMD_END_DRAW_BY_REPETITION = 2,
    KMD_END_ERROR = 3,
    KMD_END_BLACK_WIN_BY_DECLARATION = 4,
    KMD_END_WHITE_WIN_BY_DECLARATION = 5,
    KMD_END_DRAW_BY_MAX_PLIES = 6,
    KMD_END_INVALID = 7,
    KMD_END_BLACK_WIN_BY_FORFEIT = 8,
    KMD_END_WHITE_WIN_BY_FORFEIT = 9,
    KMD_END_DRAW_BY_IMPASSE = 10,
    KMD_END_PAUSED = 11,
    KMD_END_BLACK_WIN_BY_ILLEGAL_MOVE = 12,
    KMD_END_WHITE_WIN_BY_ILLEGAL_MOVE = 13,
    KMD_END_DRAW_BY_ADJUDICATION = 14,
    KMD_END_BLACK_WIN_BY_TIMEOUT = 16,
    KMD_END_WHITE_WIN_BY_TIMEOUT = 17,
    KMD_END_BLACK_WIN_BY_TRY_RULE = 20,
    KMD_END_WHITE_WIN_BY_TRY_RULE = 21
};

/*
 * Other numberings of the same values. The functions take any number; what is no square, kind or piece gives the "none" of the result.
 *
 *   row-major squares    9*rank + 8 - file, 7g = 56; none is 81
 *   gold-first kinds     P L N S G B R instead of P L N S B R G, 1..7; the others are numbered alike
 *   signed pieces        gold-first kind, negative for White; 0 is empty
 *   flagged pieces       bits 0-3 unpromoted gold-first kind, bit 4 White, bit 5 promoted; 0 is empty
 *
 * Cost: constant. Since 0.1.
 */
KMD_API uint8_t kmd_square_to_row_major(uint8_t square);
KMD_API uint8_t kmd_square_from_row_major(uint8_t index);
KMD_API uint8_t kmd_square_flip_side(uint8_t square);
KMD_API uint8_t kmd_square_mirror_file(uint8_t square);
KMD_API uint8_t kmd_piece_type_to_gold_first(uint8_t piece_type);
KMD_API uint8_t kmd_piece_type_from_gold_first(uint8_t number);
KMD_API int8_t kmd_piece_to_signed(uint8_t piece);
KMD_API uint8_t kmd_piece_from_signed(int8_t number);
KMD_API uint8_t kmd_piece_to_flagged(uint8_t piece);
KMD_API uint8_t kmd_piece_from_flagged(uint8_t flags);

typedef uint32_t kmd_hand; /* counts of one side: P bits 0-4, L 8-10, N 12-14, S 16-18, B 20-21, R 24-25, G 28-30 */

/* Between a packed hand and counts in the order P L N S B R G. More than exist (18 4 4 4 2 2 4) or stray bits: KMD_ERR_INVALID_VALUE. Since 0.1. */
KMD_API kmd_status kmd_hand_pack(const uint8_t counts[7], kmd_hand *hand);
KMD_API kmd_status kmd_hand_unpack(kmd_hand hand, uint8_t counts[7]);

/* 1 when a has at least as many of every kind as b. Since 0.1. */
KMD_API int32_t kmd_hand_is_superior_or_equal(kmd_hand a, kmd_hand b);

/* ------------------------------------------------------------------------------------------------- Library and process */

/* Version of the library: major*1000000 + minor*1000 + patch. Since 0.1. */
KMD_API uint32_t kmd_version(void);

/* KMD_ABI_VERSION of the library; a program checks that it equals the one of its header. Since 0.1. */
KMD_API uint32_t kmd_abi_version(void);

/* Text about the build: version, Go version, operating system, processor and its level. Since 0.1. */
KMD_API kmd_status kmd_build_info(char *buffer, size_t capacity, size_t *needed);

/* 1 in the process that loaded this copy of the library, 0 in a child made by fork(). Since 0.1. */
KMD_API int32_t kmd_alive(void);

/* Number of threads that functions with threads = 0 use; at first the number of processors. n >= 1. Since 0.1. */
KMD_API kmd_status kmd_set_threads(int32_t n);
KMD_API kmd_status kmd_threads(int32_t *n);

/* Runs a garbage collection, for tests of forked children. Since 0.1. */
KMD_API kmd_status kmd_collect(void);

/* What the library holds. Everything that a program opened and did not close is counted here, so that a test finds what it leaks. */
typedef struct kmd_usage {
    uint32_t size; /* sizeof(kmd_usage), by the caller */
    uint32_t boards;
    uint32_t jobs;
    uint32_t searchers;
    uint32_t books;
    uint32_t files;
    uint32_t goroutines; /* what runs or waits inside the library */
    uint32_t reserved;
    uint64_t board_bytes; /* of boards with their histories; closed boards leave their places to later ones */
    uint64_t heap_bytes;  /* of Go's heap: in use, or not collected yet; kmd_collect() before leaves what is in use */
} kmd_usage;

/* Counts what is open, of boards by walking through them; while other threads work the numbers are near ones. Since 0.1. */
KMD_API kmd_status kmd_get_usage(kmd_usage *usage);

/* Address of the memory in which boards live, to be handed to kmd_adopt() in a forked child. Since 0.1. */
KMD_API kmd_status kmd_arena(uint64_t *address);

/*
 * Takes over the boards of the parent in a child made by fork(), in a private copy of the library that has made no board yet.
 * address comes from kmd_arena(), called in the parent. A board that another thread of the parent was changing at the moment of the
 * fork is repaired at its next use, or is KMD_ERR_HANDLE where it cannot be. KMD_ERR_ARGUMENT when there is no such memory. Since 0.1.
 */
KMD_API kmd_status kmd_adopt(uint64_t address);

/* --------------------------------------------------------------------------------------------------------------- Moves */

typedef uint16_t kmd_move;     /* bits 0-6 to, 7-13 from or dropped piece type, 14 drop, 15 promote */
typedef uint32_t kmd_move32;   /* kmd_move, and in bits 16-20 the piece after the move, 0 = not set */
typedef uint16_t kmd_apery;    /* bits 0-6 to, 7-13 from or 80 + dropped piece type, 14 promote */
typedef uint32_t kmd_apery32;  /* kmd_apery, bits 16-19 piece type before the move (0 = drop), 20-23 captured piece type */

enum { KMD_MOVE_NONE = 0, KMD_MOVE_NULL = 129, KMD_MOVE_RESIGN = 258, KMD_MOVE_WIN = 387, KMD_MOVE_END = 516 };

/* KMD_MAX_LEGAL_MOVES is room for any board: 593 is the most with both kings, boards without one have a few more. */
enum { KMD_LABELS = 2187, KMD_COMPACT_LABELS = 1496, KMD_NO_LABEL = 0xFFFF, KMD_MAX_LEGAL_MOVES = 1024 };

/* Reads USI text: 7g7f, 8h2b+, P*5e, or none, null, 0000, resign, win, end. KMD_ERR_PARSE. Since 0.1. */
KMD_API kmd_status kmd_move_from_usi(const char *text, size_t length, kmd_move *move);

/* USI text of any value; "invalid" for what is no move. Since 0.1. */
KMD_API kmd_status kmd_move_to_usi(kmd_move move, char *buffer, size_t capacity, size_t *needed);

/* 1 when the value can be a move of the game: two squares, or a kind dropped on a square. Since 0.1. */
KMD_API int32_t kmd_move_is_normal(kmd_move move);

/* Turned by 180 degrees, or files mirrored; other than normal values stay as they are. Since 0.1. */
KMD_API kmd_move kmd_move_flip_side(kmd_move move);
KMD_API kmd_move kmd_move_mirror_file(kmd_move move);
KMD_API kmd_move32 kmd_move32_flip_side(kmd_move32 move);
KMD_API kmd_move32 kmd_move32_mirror_file(kmd_move32 move);

/* Between the layouts. Malformed values are KMD_ERR_INVALID_VALUE, special moves pass unchanged. Since 0.1. */
KMD_API kmd_status kmd_move_to_apery(kmd_move move, kmd_apery *apery);
KMD_API kmd_status kmd_move_from_apery(kmd_apery apery, kmd_move *move);
KMD_API kmd_status kmd_move32_from_apery32(kmd_apery32 apery, uint8_t turn, kmd_move32 *move);

/* Label of a move for the side that makes it (0 Black, 1 White), 0..2186; with compact != 0 0..1495. KMD_ERR_INVALID_VALUE without one. Since 0.1. */
KMD_API kmd_status kmd_move_label(kmd_move move, uint8_t turn, int32_t compact, uint16_t *label);

/*
 * Everything about moves and labels as tables, for languages that would rather index than call. Each pointer may be null; move
 * tables have 65536 entries. Since 0.1.
 */
typedef struct kmd_move_tables {
    uint32_t size;           /* sizeof(kmd_move_tables), by the caller */
    uint32_t reserved;
    uint8_t *normal;         /* 1 where the value can be a move */
    kmd_move *flip_side;
    kmd_move *mirror_file;
    kmd_apery *to_apery;     /* 0xFFFF where there is none */
    kmd_move *from_apery;    /* 0xFFFF where there is none */
    uint16_t *label[2];      /* by side to move; KMD_NO_LABEL where there is none */
    uint16_t *compact[2];
    char *usi;               /* 8 bytes an entry, zero-padded */
    uint16_t *full_to_compact; /* 2187 entries, KMD_NO_LABEL where there is none */
    uint16_t *compact_to_full; /* 1496 entries */
    uint16_t *mirror_label;    /* 2187 entries */
    uint16_t *mirror_compact;  /* 1496 entries */
} kmd_move_tables;

KMD_API kmd_status kmd_fill_move_tables(const kmd_move_tables *tables);

/* -------------------------------------------------------------------------------------------------------------- Boards */

typedef uint64_t kmd_board; /* a position with its history */

/* A position as plain numbers. */
typedef struct kmd_setup {
    uint32_t size;         /* sizeof(kmd_setup), by the caller */
    int32_t ply;           /* from 1 */
    uint8_t turn;
    uint8_t board[81];     /* pieces by square */
    uint8_t hands[2][7];   /* counts by color, P L N S B R G */
} kmd_setup;

/*
 * What a board is, published in memory that is never unmapped: kmd_board_get_view() gives its address once, and it can be
 * read at any time without a call. generation changes when the board is closed. sequence is odd while a call changes the board: a
 * reader in another thread reads it before and after.
 */
typedef struct kmd_board_view {
    uint32_t size; /* sizeof(kmd_board_view) */
    uint32_t generation;
    uint32_t sequence;
    int32_t ply;
    int32_t moves; /* length of the history */
    kmd_hand hands[2];
    uint8_t turn;
    uint8_t in_check; /* the side to move */
    uint8_t kings[2]; /* squares, 81 = none */
    uint64_t key;
    uint8_t pieces[88]; /* by square; entries from 81 on are 0 */
    uint64_t turn_word; /* the word of the side to move, of kmd_set_turn_words() */
    kmd_move last_move; /* KMD_MOVE_NONE at the start of the history, KMD_MOVE_NULL after a pass */
    uint16_t reserved[3];
} kmd_board_view;

/*
 * Two words of the caller's, 0 at first: every change of a board publishes the one of its side to move as turn_word. Made for bindings that keep an
 * object of theirs for each side and would read it without looking it up. Since 0.1.
 */
KMD_API kmd_status kmd_set_turn_words(uint64_t black, uint64_t white);

/* The even game. KMD_ERR_MEMORY. Since 0.1. */
KMD_API kmd_status kmd_board_new(kmd_board *board);

/* From SFEN, from a position line of USI with its moves, or from numbers. KMD_ERR_PARSE, KMD_ERR_INVALID_POSITION, KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_board_from_sfen(const char *text, size_t length, kmd_board *board);
KMD_API kmd_status kmd_board_from_position(const char *text, size_t length, kmd_board *board);
KMD_API kmd_status kmd_board_from_setup(const kmd_setup *setup, kmd_board *board);

/* From 32 bytes; ply 1. KMD_ERR_PARSE, KMD_ERR_INVALID_POSITION. Since 0.1. */
KMD_API kmd_status kmd_board_from_hcp(const uint8_t *bytes, kmd_board *board);
KMD_API kmd_status kmd_board_from_packed_sfen(const uint8_t *bytes, kmd_board *board);

/* A copy with its own history; or the position alone turned by 180 degrees with the sides exchanged, or with files mirrored. Since 0.1. */
KMD_API kmd_status kmd_board_copy(kmd_board board, kmd_board *copy);
KMD_API kmd_status kmd_board_flip_side(kmd_board board, kmd_board *flipped);
KMD_API kmd_status kmd_board_mirror_file(kmd_board board, kmd_board *mirrored);

/* Closes a board. 0 does nothing. Since 0.1. */
KMD_API kmd_status kmd_board_close(kmd_board board);

/*
 * What makes boards, for a board that is there already; its history is forgotten. On an error it is unchanged. set_board copies another board's
 * history too, set_flipped and set_mirrored take the position alone. A board given as its own other is KMD_ERR_BUSY. Since 0.1.
 */
KMD_API kmd_status kmd_board_set_sfen(kmd_board board, const char *text, size_t length);
KMD_API kmd_status kmd_board_set_position(kmd_board board, const char *text, size_t length);
KMD_API kmd_status kmd_board_set_setup(kmd_board board, const kmd_setup *setup);
KMD_API kmd_status kmd_board_set_hcp(kmd_board board, const uint8_t *bytes);
KMD_API kmd_status kmd_board_set_packed_sfen(kmd_board board, const uint8_t *bytes);
KMD_API kmd_status kmd_board_set_board(kmd_board board, kmd_board other);
KMD_API kmd_status kmd_board_set_flipped(kmd_board board, kmd_board other);
KMD_API kmd_status kmd_board_set_mirrored(kmd_board board, kmd_board other);

KMD_API kmd_status kmd_board_get_view(kmd_board board, const kmd_board_view **view);
KMD_API kmd_status kmd_board_get_setup(kmd_board board, kmd_setup *setup);

/* SFEN with the ply; position line of USI with the moves. Since 0.1. */
KMD_API kmd_status kmd_board_to_sfen(kmd_board board, char *buffer, size_t capacity, size_t *needed);
KMD_API kmd_status kmd_board_to_position(kmd_board board, char *buffer, size_t capacity, size_t *needed);

/* 32 bytes each. A missing king is KMD_ERR_INVALID_POSITION. Since 0.1. */
KMD_API kmd_status kmd_board_to_hcp(kmd_board board, uint8_t *bytes);
KMD_API kmd_status kmd_board_to_packed_sfen(kmd_board board, uint8_t *bytes);

/*
 * Plays a move of the complete legal set; every other value is KMD_ERR_ILLEGAL_MOVE and changes nothing. A kmd_move32 must carry the
 * piece that will stand on the target, or none. Since 0.1.
 */
KMD_API kmd_status kmd_board_push(kmd_board board, kmd_move move);
KMD_API kmd_status kmd_board_push32(kmd_board board, kmd_move32 move);

/*
 * Plays a move that the caller has from a list of this very position, without verifying that it is legal: the fast path of programs that walk through
 * trees and of trusted data. The contract is the caller's: a move that is not legal makes a position that no game reaches, which kmd_board_pop() takes back.
 * Memory is never broken, and what cannot be carried out at all (no such piece there or in hand, a target with an own piece or a king) is
 * KMD_ERR_ILLEGAL_MOVE and changes nothing. Since 0.1.
 */
KMD_API kmd_status kmd_board_push_unchecked(kmd_board board, kmd_move move);

/* Passes; in check that is KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_board_push_null(kmd_board board);

/* Takes the last move back and gives it (may be null). Without one KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_board_pop(kmd_board board, kmd_move *move);

/* The moves from the start of the history on. KMD_ERR_BUFFER when there are more than capacity; *count is set. Since 0.1. */
KMD_API kmd_status kmd_board_moves(kmd_board board, kmd_move *moves, size_t capacity, size_t *count);

/* All legal moves, optional non-promotions included; KMD_MAX_LEGAL_MOVES entries always suffice. KMD_ERR_BUFFER; *count is set. Since 0.1. */
KMD_API kmd_status kmd_board_legal_moves(kmd_board board, kmd_move *moves, size_t capacity, size_t *count);
/* The same with the piece after each move. Since 0.1. */
KMD_API kmd_status kmd_board_legal_moves32(kmd_board board, kmd_move32 *moves, size_t capacity, size_t *count);
/* The same into a buffer of KMD_MAX_LEGAL_MOVES entries; returns their number or a negative status. The fast form. Since 0.1. */
KMD_API int32_t kmd_board_list(kmd_board board, kmd_move *moves);

/* *legal is 1 when the value is in the complete legal set, else 0; any value may be asked. Since 0.1. */
KMD_API kmd_status kmd_board_is_legal(kmd_board board, kmd_move move, int32_t *legal);

/* Verifies a move for play and completes a piece that is not set. KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_board_complete_move32(kmd_board board, kmd_move32 move, kmd_move32 *full);
/* A legal move in Apery's 32-bit layout. KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_board_apery32(kmd_board board, kmd_move move, kmd_apery32 *apery);

/* The legal move that has a label (compact != 0: compact label). KMD_ERR_INVALID_VALUE outside the labels, KMD_ERR_ILLEGAL_MOVE when no legal move has it. Since 0.1. */
KMD_API kmd_status kmd_board_move_of_label(kmd_board board, uint16_t label, int32_t compact, kmd_move *move);

/* *mated is 1 when the side to move stands in check without a legal move. Since 0.1. */
KMD_API kmd_status kmd_board_is_checkmate(kmd_board board, int32_t *mated);
/* A move that mates at once, or KMD_MOVE_NONE. Since 0.1. */
KMD_API kmd_status kmd_board_mate_in_one(kmd_board board, kmd_move *move);
/* All moves that mate at once; *count is their number also when capacity is too small (KMD_ERR_BUFFER). Since 0.1. */
KMD_API kmd_status kmd_board_mates_in_one(kmd_board board, kmd_move *moves, size_t capacity, size_t *count);
/* *check is 1 when a legal move gives check. KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_board_gives_check(kmd_board board, kmd_move move, int32_t *check);

/* What is odd about the position. *count is the number of problems, of which at most capacity are written. Since 0.1. */
KMD_API kmd_status kmd_board_problems(kmd_board board, kmd_problem *problems, size_t capacity, size_t *count);

/*
 * Quick forms, for callers to whom every call and every argument is dear, such as ctypes of Python: what is found is returned, as a number from 0
 * on, and a failure as its negative status. Since 0.1.
 */
enum { KMD_SFEN_SIZE = 256 }; /* bytes that hold the SFEN of any board, and a terminator */

KMD_API int32_t kmd_quick_set_sfen(kmd_board board, const char *text, int32_t length);
KMD_API int32_t kmd_quick_sfen(kmd_board board, char *buffer); /* the length; KMD_SFEN_SIZE bytes are given, the text is terminated */
KMD_API int32_t kmd_quick_pop(kmd_board board);                /* the move taken back */
KMD_API int32_t kmd_quick_is_legal(kmd_board board, kmd_move move);
KMD_API int32_t kmd_quick_is_checkmate(kmd_board board);
KMD_API int32_t kmd_quick_mate_in_one(kmd_board board); /* the move, or KMD_MOVE_NONE */

/*
 * The legal moves with a word of the caller's for each of them, from a table of 65536 words. Made for bindings that keep an object for each move.
 * Returns the number of moves. KMD_ERR_ARGUMENT for null or misaligned pointers and a wrong size. Since 0.1.
 */
typedef struct kmd_quick_room {
    uint32_t size; /* sizeof(kmd_quick_room), by the caller */
    uint32_t reserved;
    kmd_move *moves;       /* KMD_QUICK_MOVES entries, all of which may be written, aligned to 8 bytes */
    const uint64_t *words; /* by move */
    uint64_t *picked;      /* KMD_MAX_LEGAL_MOVES entries: words[moves[i]] */
} kmd_quick_room;

enum { KMD_QUICK_MOVES = 1040 }; /* more than KMD_MAX_LEGAL_MOVES: the list is made in place */

KMD_API int32_t kmd_quick_list(kmd_board board, const kmd_quick_room *room);

/*
 * Picks the word of each of some moves: picked[i] = words[moves[i]]. It needs no Go and works in a forked child too. KMD_ERR_ARGUMENT for null or
 * misaligned pointers or a negative count, else KMD_OK. Since 0.1.
 */
KMD_API int32_t kmd_quick_words(const kmd_move *moves, int32_t count, const uint64_t *words, uint64_t *picked);

/* Keys of everything, of the pieces on the board, of both hands; each pointer may be null. Fixed for ever. Since 0.1. */
KMD_API kmd_status kmd_board_keys(kmd_board board, uint64_t *key, uint64_t *board_key, uint64_t *hand_key);
/* Keys of the unpromoted pawns on the board, and of how many men of each kind are on the board with both hands. Computed when asked, fixed for ever. Since 0.1. */
KMD_API kmd_status kmd_board_pawn_key(kmd_board board, uint64_t *key);
KMD_API kmd_status kmd_board_material_key(kmd_board board, uint64_t *key);
/* A key of 128 bits: words[0], the lower half, is the key of kmd_board_keys(). Computed when asked, fixed for ever. Since 0.1. */
KMD_API kmd_status kmd_board_key128(kmd_board board, uint64_t words[2]);

/* A stored evaluation is 16 bits of the side to move: centipawns up to this magnitude, special (engines' mate scores) beyond. */
enum { KMD_EVAL_MAX_CP = 32000 };

/* -------------------------------------------------------------------------------------------------------------- Setups */

/*
 * Start positions by handicap (手合割). White (上手) moves first in all but the even game; left and right are White's own. Stored by programs.
 */
enum {
    KMD_HANDICAP_EVEN = 0,              /* 平手 */
    KMD_HANDICAP_LANCE = 1,             /* 香落ち: the left lance */
    KMD_HANDICAP_RIGHT_LANCE = 2,       /* 右香落ち */
    KMD_HANDICAP_BISHOP = 3,            /* 角落ち */
    KMD_HANDICAP_ROOK = 4,              /* 飛車落ち */
    KMD_HANDICAP_ROOK_LANCE = 5,        /* 飛香落ち: rook and left lance */
    KMD_HANDICAP_TWO_PIECE = 6,         /* 二枚落ち: rook and bishop */
    KMD_HANDICAP_THREE_PIECE = 7,       /* 三枚落ち: and the left lance */
    KMD_HANDICAP_FOUR_PIECE = 8,        /* 四枚落ち: and both lances */
    KMD_HANDICAP_FIVE_PIECE = 9,        /* 五枚落ち: and the right knight */
    KMD_HANDICAP_LEFT_FIVE_PIECE = 10,  /* 左五枚落ち: the left knight instead */
    KMD_HANDICAP_SIX_PIECE = 11,        /* 六枚落ち: both lances and knights */
    KMD_HANDICAP_LEFT_SEVEN_PIECE = 12, /* 左七枚落ち: and the left silver */
    KMD_HANDICAP_RIGHT_SEVEN_PIECE = 13, /* 右七枚落ち: and the right silver */
    KMD_HANDICAP_EIGHT_PIECE = 14,      /* 八枚落ち: both silvers */
    KMD_HANDICAP_TEN_PIECE = 15,        /* 十枚落ち: and both golds */
    KMD_HANDICAP_OTHER = 16             /* その他: any other start */
};

/*
 * Reads a handicap's name: Japanese with or without 落ち, English such as two-piece, 2-piece or RIGHT_LANCE, presets of JKF files. Case,
 * blanks and hyphens do not matter. KMD_ERR_PARSE. Since 0.1.
 */
KMD_API kmd_status kmd_handicap_from_name(const char *text, size_t length, int32_t *handicap);

/* The name in English, or with japanese != 0 that of KIF files. KMD_ERR_INVALID_VALUE. Since 0.1. */
KMD_API kmd_status kmd_handicap_name(int32_t handicap, int32_t japanese, char *buffer, size_t capacity, size_t *needed);

/* The start of a game; ply 1. setup->size is filled in by the caller. KMD_ERR_INVALID_VALUE for KMD_HANDICAP_OTHER and what is no handicap. Since 0.1. */
KMD_API kmd_status kmd_setup_handicap(int32_t handicap, kmd_setup *setup);

/* Whose start a setup is by board, hands and side to move, whatever the ply; KMD_HANDICAP_OTHER for all others. Since 0.1. */
KMD_API kmd_status kmd_setup_to_handicap(const kmd_setup *setup, int32_t *handicap);

/*
 * Problems of a setup, all of them: first by color and square, then by kind. *count is their number, of which at most capacity are written;
 * KMD_MAX_PROBLEMS entries always suffice. Any numbers may be asked about. Since 0.1.
 */
KMD_API kmd_status kmd_setup_problems(const kmd_setup *setup, kmd_problem *problems, size_t capacity, size_t *count);

/* Texts of a setup; docs/formats.md describes them and what is read beyond what is written. */
enum {
    KMD_TEXT_SFEN = 1,
    KMD_TEXT_CSA = 2,   /* lines P1 to P9, P+, P- and the side to move; no ply. Reads whole records, too, up to their first move */
    KMD_TEXT_BOD = 3,   /* the diagram of KIF files (盤面図). Reads whole records, too, up to their first move */
    KMD_TEXT_PLAIN = 4, /* for people to look at */
    KMD_TEXT_SFEN_WITHOUT_PLY = 5
};

/*
 * Reads a setup, which may hold more men than exist, as far as a hand has room for them (31 pawns, 7 lances, knights, silvers and golds, 3 bishops
 * and rooks). setup->size is filled in by the caller. KMD_ERR_PARSE, KMD_ERR_INVALID_VALUE for an unknown text. Since 0.1.
 */
KMD_API kmd_status kmd_setup_from_text(int32_t format, const char *text, size_t length, kmd_setup *setup);

/*
 * Writes a setup, whatever rules it breaks, without a line end after the last line. KMD_ERR_INVALID_POSITION for what no diagram can show (codes that
 * are no piece, a side to move that is neither, a ply below 1), KMD_ERR_INVALID_VALUE for counts that a hand has no room for and an unknown text. Since 0.1.
 */
KMD_API kmd_status kmd_setup_to_text(const kmd_setup *setup, int32_t format, char *buffer, size_t capacity, size_t *needed);
KMD_API kmd_status kmd_board_to_text(kmd_board board, int32_t format, char *buffer, size_t capacity, size_t *needed);

/*
 * The box (駒箱): how many men of a full set are neither on the board nor in a hand, by kind P L N S B R G K; 0 for a kind of which there are too
 * many. kmd_setup_give_box() puts all of them but kings into a side's hand, as mate problems have it. KMD_ERR_INVALID_VALUE for what is no color, and for
 * counts that a hand has no room for. Since 0.1.
 */
KMD_API kmd_status kmd_setup_box(const kmd_setup *setup, uint8_t counts[8]);
KMD_API kmd_status kmd_setup_give_box(kmd_setup *setup, uint8_t color);

/*
 * Turned by 180 degrees with the sides exchanged, or with files mirrored; the ply stays. Both structs have their size filled in and may be the
 * same one. KMD_ERR_INVALID_VALUE for counts that a hand has no room for. Since 0.1.
 */
KMD_API kmd_status kmd_setup_flip_side(const kmd_setup *setup, kmd_setup *flipped);
KMD_API kmd_status kmd_setup_mirror_file(const kmd_setup *setup, kmd_setup *mirrored);

/* --------------------------------------------------------------------------------------------------- Words for a move */

/* Ways to write one move. docs/formats.md says what is written and what is read beyond that. */
enum {
    KMD_STYLE_USI = 1,    /* 7g7f, 8h2b+, B*5e */
    KMD_STYLE_CSA = 2,    /* +7776FU, -0055KA */
    KMD_STYLE_KIF = 3,    /* ７六歩(77), 同　銀(31), ５五角打 */
    KMD_STYLE_KI2 = 4,    /* ▲７六歩, △同　銀, ▲５八金右 */
    KMD_STYLE_WESTERN = 5 /* P-7f, Bx2b+, B*5e, G6i-5h */
};

/*
 * Writes a legal move of the board, UTF-8. The board's history tells where the move before went, which KIF and KI2 need for 同.
 * KMD_ERR_ILLEGAL_MOVE for any other value, KMD_ERR_ARGUMENT for a style that does not exist, KMD_ERR_BUFFER. Since 0.1.
 */
KMD_API kmd_status kmd_board_format_move(kmd_board board, int32_t style, kmd_move move, char *buffer, size_t capacity, size_t *needed);

/*
 * Reads the words of a move and gives the one legal move that they mean; blanks around them are left out. KMD_ERR_PARSE with the offset when
 * the text is no move of the style, KMD_ERR_ILLEGAL_MOVE when no legal move fits, KMD_ERR_AMBIGUOUS_MOVE when several do. Since 0.1.
 */
KMD_API kmd_status kmd_board_parse_move(kmd_board board, int32_t style, const char *text, size_t length, kmd_move *move);

/*
 * Writes n legal moves of the board, each as if it came next: the words of move i are text[offsets[i]] to text[offsets[i+1]]; offsets has n+1
 * entries. The error of a move that is not legal names its row. KMD_ERR_BUFFER when capacity is too small; offsets are right all the same.
 * Since 0.1.
 */
KMD_API kmd_status kmd_board_format_moves(kmd_board board, int32_t style, const kmd_move *moves, size_t n, int64_t *offsets, char *text, size_t capacity);

/*
 * The words of a move in KI2 as a number; equal numbers are displayed alike, others differently. Bit 0 side (▲ 0, △ 1); 1 同; 2-8 target + 1, 0 with
 * 同; 9-12 piece type that is shown, before a promotion; 13-16 nothing 0, 上 1, 引 2, 寄 3, 直 4, 右 5, 左 6, 右上 7, 右引 8, 左上 9, 左引 10, 打 11;
 * 17-18 nothing 0, 成 1, 不成 2. It does not say which move it is without a board.
 */
typedef uint32_t kmd_ki2;

/* 1 when the value can be the words of a move. Since 0.1. */
KMD_API int32_t kmd_ki2_is_valid(kmd_ki2 ki2);

/* Reads text such as ▲５八金右, with the mark of the side. KMD_ERR_PARSE. Since 0.1. */
KMD_API kmd_status kmd_ki2_from_text(const char *text, size_t length, kmd_ki2 *ki2);

/* The text; "invalid" for other values. Since 0.1. */
KMD_API kmd_status kmd_ki2_to_text(kmd_ki2 ki2, char *buffer, size_t capacity, size_t *needed);

/* The words of the same move on a board turned by 180 degrees, or with its files mirrored (右 and 左 are exchanged); invalid values stay. Since 0.1. */
KMD_API kmd_ki2 kmd_ki2_flip_side(kmd_ki2 ki2);
KMD_API kmd_ki2 kmd_ki2_mirror_file(kmd_ki2 ki2);

/* In the place of the square to which the move before went: what the board's history says. */
enum { KMD_PREVIOUS_OF_HISTORY = 255 };

/* Words of a legal move of the board. previous: where the move before went, KMD_NO_SQUARE when there is none, or KMD_PREVIOUS_OF_HISTORY.
 * KMD_ERR_ILLEGAL_MOVE; KMD_ERR_INVALID_VALUE for another previous. Since 0.1. */
KMD_API kmd_status kmd_board_ki2(kmd_board board, uint8_t previous, kmd_move move, kmd_ki2 *ki2);

/* The one legal move that is written exactly so. KMD_ERR_ILLEGAL_MOVE when there is none, KMD_ERR_AMBIGUOUS_MOVE when there are several,
 * KMD_ERR_INVALID_VALUE for an invalid value or another previous. Since 0.1. */
KMD_API kmd_status kmd_board_resolve_ki2(kmd_board board, uint8_t previous, kmd_ki2 ki2, kmd_move *move);
/* ------------------------------------------------------------------------------------------ Move generation and attacks */

/* Kinds of moves of the side to move. KMD_MOVES_CAPTURES and KMD_MOVES_QUIETS together are KMD_MOVES_ALL and share no move. */
enum {
    KMD_MOVES_ALL = 0,          /* every legal move, optional non-promotions included */
    KMD_MOVES_PSEUDO_LEGAL = 1, /* these, moves that leave or put the own king in check, and pawn drops that mate (打ち歩詰め) */
    KMD_MOVES_SEARCH = 2,       /* without non-promotions of P, B, R that could promote, and of L onto the second rank from the far edge */
    KMD_MOVES_CAPTURES = 3,     /* legal moves that take a piece */
    KMD_MOVES_QUIETS = 4,       /* legal moves that take nothing, drops and promotions among them */
    KMD_MOVES_EVASIONS = 5,     /* every legal move of a side in check, else none */
    KMD_MOVES_CHECKS = 6,       /* legal moves after which the other side stands in check */
    KMD_MOVES_RECAPTURES = 7,   /* captures of the piece on one square */
    KMD_MOVES_DROPS = 8,        /* legal drops */
    KMD_MOVES_TACTICAL = 9      /* captures, and promotions that take nothing */
};
enum { KMD_MOVE_KINDS = 10, KMD_MOVE_STAGES = 3, KMD_ALL_STAGES = -1 };

/*
 * The moves of a kind; KMD_MAX_LEGAL_MOVES entries always suffice.
 *
 * kind     KMD_MOVES_...; another number is KMD_ERR_ARGUMENT
 * square   of KMD_MOVES_RECAPTURES 0..80, else KMD_ERR_INVALID_VALUE; not looked at otherwise
 *
 * KMD_ERR_BUFFER when there are more than capacity; *count is set. Since 0.1.
 */
KMD_API kmd_status kmd_board_generate(kmd_board board, int32_t kind, uint8_t square, kmd_move *moves, size_t capacity, size_t *count);

/*
 * The same moves in KMD_MOVE_STAGES parts, for programs that may not need all: stage 0 has those that take, 1 the other moves on the
 * board, 2 the drops. Another stage is KMD_ERR_ARGUMENT. Since 0.1.
 */
KMD_API kmd_status kmd_board_generate_stage(kmd_board board, int32_t kind, uint8_t square, int32_t stage, kmd_move *moves, size_t capacity, size_t *count);

/* The moves of one stage, or of all with KMD_ALL_STAGES, into a buffer of KMD_MAX_LEGAL_MOVES entries; returns their number or a negative status. The fast form. Since 0.1. */
KMD_API int32_t kmd_quick_generate(kmd_board board, int32_t kind, uint8_t square, int32_t stage, kmd_move *moves);

/*
 * Sets of squares as two words: squares 0..62 in words[0], 63..80 in words[1]. A piece attacks the squares it could take on, own pieces
 * included, whatever pins and checks say. A square above 80, a color above 1 or a kind that is none is KMD_ERR_INVALID_VALUE. Since 0.1.
 *
 *   attackers_to    pieces of a color that attack a square
 *   attacks_by      squares that the piece on a square attacks; none when it is empty
 *   attacked_by     squares that any piece of a color attacks
 *   checkers        pieces that give check to the side to move
 *   blockers        pieces of either color that alone stand between a color's king and an enemy slider
 *   pinned          those of them that are the color's own
 *   discoverers     pieces of the side to move that are blockers of the enemy king: leaving the line gives check
 *   check_squares   squares on which a piece of a kind (1..14) of the side to move attacks the enemy king, pieces standing as they do
 */
KMD_API kmd_status kmd_board_attackers_to(kmd_board board, uint8_t square, uint8_t color, uint64_t words[2]);
KMD_API kmd_status kmd_board_attacks_by(kmd_board board, uint8_t square, uint64_t words[2]);
KMD_API kmd_status kmd_board_attacked_by(kmd_board board, uint8_t color, uint64_t words[2]);
KMD_API kmd_status kmd_board_checkers(kmd_board board, uint64_t words[2]);
KMD_API kmd_status kmd_board_blockers(kmd_board board, uint8_t color, uint64_t words[2]);
KMD_API kmd_status kmd_board_pinned(kmd_board board, uint8_t color, uint64_t words[2]);
KMD_API kmd_status kmd_board_discoverers(kmd_board board, uint64_t words[2]);
KMD_API kmd_status kmd_board_check_squares(kmd_board board, uint8_t piece_type, uint64_t words[2]);

/* *attacked is 1 when a piece of a color attacks a square. KMD_ERR_INVALID_VALUE. Since 0.1. */
KMD_API kmd_status kmd_board_is_attacked(kmd_board board, uint8_t square, uint8_t color, int32_t *attacked);

/*
 * By square how many pieces of a color attack it, and how many of each kind (index 0: all). With xray != 0 a slider also counts where own
 * pieces stand in its way that all attack the square along the same line: those that can take there one after the other. Since 0.1.
 */
KMD_API kmd_status kmd_board_attack_counts(kmd_board board, int32_t xray, uint8_t counts[2][81]);
KMD_API kmd_status kmd_board_attack_counts_by_kind(kmd_board board, int32_t xray, uint8_t counts[2][15][81]);

/* By square how many squares the piece there attacks that hold no piece of its own color; 0 where none stands. Since 0.1. */
KMD_API kmd_status kmd_board_mobility(kmd_board board, uint8_t counts[81]);

/*
 * What a legal move wins on its target square when both sides go on taking there and stop when it pays (static exchange evaluation), in
 * centipawns; a taken piece counts on the board and in hand, so a pawn is 200. docs/conventions.md has the values and rules. KMD_ERR_ILLEGAL_MOVE. Since 0.1.
 */
KMD_API kmd_status kmd_board_see(kmd_board board, kmd_move move, int32_t *value);

/* --------------------------------------------------------------------------------------------------------------- Rules */

/* Verdicts on a returning position (千日手), seen by the side to move. */
enum {
    KMD_REPETITION_NONE = 0,
    KMD_REPETITION_WIN = 1,  /* the opponent has given check all the way */
    KMD_REPETITION_LOSE = 2, /* the side to move has */
    KMD_REPETITION_DRAW = 3,
    KMD_REPETITION_SUPERIOR = 4, /* the same board with more in hand: ends no game */
    KMD_REPETITION_INFERIOR = 5
};

/*
 * Verdict of the game rule, seen by the side to move: draw, win, lose from the fourth occurrence on; before it superior or inferior, when
 * the nearest return of the board is one with less or more in hand. Boards and hands are compared, not keys. Since 0.1.
 */
KMD_API kmd_status kmd_board_repetition(kmd_board board, int32_t *state);
/* Verdict of the nearest return within max_ply plies, as searches use it. Since 0.1. */
KMD_API kmd_status kmd_board_search_repetition(kmd_board board, int32_t max_ply, int32_t *state);
/* *repeated is 1 when the position stands for at least the count-th time, this one included. Since 0.1. */
KMD_API kmd_status kmd_board_is_repetition(kmd_board board, int32_t count, int32_t *repeated);

/* When the side to move may declare a win (入玉宣言); docs/conventions.md has the conditions. Stored by programs. */
enum {
    KMD_RULE_NONE = 0,
    KMD_RULE_CSA24 = 1,          /* 31 points win, 24 draw */
    KMD_RULE_CSA24_HANDICAP = 2, /* men that are missing lower what White needs */
    KMD_RULE_CSA27 = 3,          /* 28 points win for Black, 27 for White */
    KMD_RULE_CSA27_HANDICAP = 4,
    KMD_RULE_TRY = 5             /* the king's arrival on 5a (Black) or 5i (White) wins */
};

/* What declaring would bring. */
enum {
    KMD_VERDICT_NONE = 0, /* nothing to declare; who declares all the same loses the game */
    KMD_VERDICT_WIN = 1,
    KMD_VERDICT_DRAW = 2  /* under the rules of 24 points */
};

/* What the side to move counts for a declaration. */
typedef struct kmd_declaration {
    uint32_t size;          /* sizeof(kmd_declaration), by the caller */
    int32_t verdict;        /* KMD_VERDICT_... */
    int32_t points;         /* of the pieces in the camp, the three far ranks, and in hand: bishops and rooks 5, others 1, the king 0 */
    int32_t required;       /* points for a win; 0 under KMD_RULE_NONE and KMD_RULE_TRY */
    int32_t pieces_in_camp; /* without the king */
    int32_t king_in_camp;   /* 1 or 0 */
    int32_t in_check;       /* 1 or 0 */
    kmd_move move;          /* of a win: KMD_MOVE_WIN, or the king's move under KMD_RULE_TRY; else KMD_MOVE_NONE */
    uint16_t reserved;      /* 0 */
} kmd_declaration;

/*
 * The report of one rule (KMD_RULE_...) for the side to move. declaration->size is filled in by the caller.
 *
 * KMD_ERR_INVALID_VALUE for what is no rule, KMD_ERR_INVALID_POSITION without both kings. Since 0.1.
 */
KMD_API kmd_status kmd_board_declaration(kmd_board board, int32_t rule, kmd_declaration *declaration);

/* What players agree on besides how pieces move. Stored by programs. */
typedef struct kmd_rules {
    uint32_t size;         /* sizeof(kmd_rules), by the caller */
    int32_t repetition;    /* occurrences of a position that end the game, at least 2; 0: none does */
    int32_t entering_king; /* KMD_RULE_... */
    int32_t move_limit;    /* moves, counted from ply 1, after which an undecided game is a draw; 0: none */
    int32_t limit_waits;   /* 1: the limit waits while the side that made the last allowed move goes on giving check; else 0 */
    int32_t handicap;      /* KMD_HANDICAP_...: how games begin; how they end does not depend on it */
} kmd_rules;

/*
 * The rules of a profile, by name in any case; docs/conventions.md has their sources. rules->size is filled in by the caller.
 *
 *   JSA        professional games: fourth occurrence, 24 points, draw after 500 moves unless checks go on
 *   CSA        World Computer Shogi Championship: fourth occurrence, 27 points, draw after 320 moves
 *   FLOODGATE  the game server: fourth occurrence, 27 points, draw after 256 moves
 *   DLSHOGI    self-play for dlshogi's training: second occurrence, 27 points, draw after 320 moves
 *
 * KMD_ERR_PARSE for other names. Since 0.1.
 */
KMD_API kmd_status kmd_rules_profile(const char *name, size_t length, kmd_rules *rules);

/* What the side to move is taken to do with a right to declare: it may always play on instead. */
enum {
    KMD_DECLARE_NEVER = 0,  /* it plays on: only what has happened ends the game */
    KMD_DECLARE_TO_WIN = 1, /* it declares, or tries, when that wins */
    KMD_DECLARE_TO_DRAW = 2 /* and also when a declaration gives a draw */
};

/* Why a game has ended. */
enum {
    KMD_REASON_NONE = 0,            /* it goes on */
    KMD_REASON_DECLARATION_WIN = 1, /* 入玉宣言勝ち */
    KMD_REASON_REPETITION = 2,      /* 千日手 */
    KMD_REASON_PERPETUAL_CHECK = 3, /* 連続王手の千日手: the checking side has lost */
    KMD_REASON_IMPASSE = 4,         /* 持将棋 */
    KMD_REASON_MOVE_LIMIT = 5,
    KMD_REASON_TRY_RULE = 6,
    KMD_REASON_CHECKMATE = 7,
    KMD_REASON_NO_LEGAL_MOVES = 8   /* not in check and without a move: lost, too */
};

/* How a game stands for the side to move. */
enum { KMD_TERMINAL_NONE = 0, KMD_TERMINAL_WIN = 1, KMD_TERMINAL_DRAW = 2, KMD_TERMINAL_LOSS = 3 };

typedef struct kmd_outcome {
    uint32_t size;    /* sizeof(kmd_outcome), by the caller */
    int32_t reason;   /* KMD_REASON_... */
    int32_t result;   /* KMD_BLACK_WIN, KMD_WHITE_WIN, KMD_DRAW; -1 while the game goes on */
    int32_t end;      /* KMD_END_..., of a perpetual check an illegal move of the loser; KMD_END_PAUSED while the game goes on */
    int32_t terminal; /* KMD_TERMINAL_... */
} kmd_outcome;

/*
 * Whether and how the game on a board has ended. What comes first holds:
 *
 *   1. no legal move: lost for the side to move, in check or not. So a mate with the last allowed move wins;
 *   2. under KMD_RULE_TRY, the other side's king stands unattacked on its square: it has won;
 *   3. the position stands for the rules->repetition-th time: a draw, or the loss of the side that gave check all the way;
 *   4. rules->move_limit moves have been made: a draw. There is no declaration after the last allowed move;
 *   5. the side to move may declare, and by declare (KMD_DECLARE_...) does. Without both kings nobody declares.
 *
 * outcome->size is filled in by the caller. KMD_ERR_INVALID_VALUE for rules and numbers that do not exist. Since 0.1.
 */
KMD_API kmd_status kmd_board_outcome(kmd_board board, const kmd_rules *rules, int32_t declare, kmd_outcome *outcome);

/* ----------------------------------------------------------------------------------------------------------- Long jobs */

/*
 * Perft, search and mate run in the background. Start one, wait for it in slices, and finish it:
 *
 *     while ((s = kmd_job_wait(job, 20)) == KMD_ERR_BUSY) { ... look around, kmd_job_cancel(job) ... }
 *     s = kmd_job_finish(job, &result);
 */
typedef uint64_t kmd_job;

enum { KMD_MAX_PV = 256 };

typedef struct kmd_result {
    uint32_t size; /* sizeof(kmd_result), by the caller */
    int32_t kind;  /* KMD_SCORE_... of a search, KMD_MATE_... of a mate search, else 0 */
    int32_t score; /* centipawns; or plies to mate, negative when the side to move is mated; the side to move's view */
    int32_t depth; /* of a search: completed, 0 where it ended before that and scores are those of a first look; of a mate: plies of the line */
    int32_t selective_depth;
    uint16_t best_move; /* KMD_MOVE_RESIGN when there is no legal move, KMD_MOVE_WIN when declaring wins */
    uint16_t pv_length;
    uint64_t nodes; /* perft: the count */
    uint64_t elapsed_us;
    uint64_t rows;      /* of a job over many rows: how many are done */
    int32_t hashfull;   /* how full the table of a search or mate search is, in permille */
    int32_t line_count; /* of a search: best lines there are, see kmd_search_lines() */
    int32_t proven;     /* of a mate: 1 when it is known that no shorter one exists */
    int32_t bound;      /* of a search: KMD_BOUND_... of the score */
    kmd_move pv[KMD_MAX_PV]; /* replays legally */
} kmd_result;

enum { KMD_SCORE_CP = 1, KMD_SCORE_MATE = 2 };
enum { KMD_MATE_UNKNOWN = 1, KMD_MATE_FOUND = 2, KMD_MATE_NONE = 3 };

/* Waits at most timeout_ms (0..1000) for a job to be done: KMD_OK when it is, KMD_ERR_BUSY when not. A signal ends the wait early. Since 0.1. */
KMD_API kmd_status kmd_job_wait(kmd_job job, int32_t timeout_ms);
/* Asks a job to stop soon. Since 0.1. */
KMD_API kmd_status kmd_job_cancel(kmd_job job);
/* Reads a running job's progress into *result: nodes and, of a search, the best line so far. Since 0.1. */
KMD_API kmd_status kmd_job_poll(kmd_job job, kmd_result *result);
/* Waits until the job is done, gives its result and closes it. Returns what the job returned; of a cancelled one KMD_ERR_CANCELLED, with the result so far. Since 0.1. */
KMD_API kmd_status kmd_job_finish(kmd_job job, kmd_result *result);

/* Counts the positions after depth (0..64) legal moves; the board may be used on meanwhile. Since 0.1. */
KMD_API kmd_status kmd_perft_start(kmd_board board, int32_t depth, kmd_job *job);

/* ------------------------------------------------------------------------------------------------------------- Search */

typedef uint64_t kmd_searcher; /* an alpha-beta engine with its transposition table */

enum { KMD_SEARCH_NO_QUIESCENCE = 1, KMD_SEARCH_NO_TABLE = 2, KMD_SEARCH_NO_REPETITION = 4, KMD_SEARCH_ALL_MOVES = 8 };
enum { KMD_MAX_HASH_MB = 65536, KMD_MAX_SEARCH_THREADS = 512, KMD_MAX_MULTIPV = 593 };

typedef struct kmd_search_options {
    uint32_t size;          /* sizeof(kmd_search_options), by the caller */
    int32_t hash_mb;        /* size of the transposition table in MiB, 1..KMD_MAX_HASH_MB, of which the largest power of two is used; 0: 64 */
    int32_t threads;        /* that search together, 1..KMD_MAX_SEARCH_THREADS; 0: 1 */
    uint32_t switches;      /* KMD_SEARCH_NO_..., to see what a part of the search is good for; KMD_SEARCH_ALL_MOVES: non-promotions that are almost never better, too */
    const kmd_rules *rules; /* whose declarations and move limit the search knows of; null: none. Positions that return count always */
    /* How limits of a clock are spent, in milliseconds. */
    int32_t minimum_ms;    /* think at least so long, if the clock allows it */
    int32_t delay_ms;      /* a move gets lost so much time on its way: thinking ends so much earlier */
    int32_t hard_delay_ms; /* the same where the flag would fall */
    int32_t slow_mover;    /* percent of the usual share of the time, 1..1000; 0: 100 */
} kmd_search_options;

/* The search ends at the first limit that is reached. At least one is wanted; infinite and ponder are limits, too: they end by kmd_job_cancel(). */
typedef struct kmd_search_limits {
    uint32_t size;       /* sizeof(kmd_search_limits), by the caller */
    int32_t depth;       /* 0 = none */
    uint64_t nodes;      /* of all threads, never exceeded; 0 = none */
    int64_t movetime_ms; /* 0 = none */
    int32_t infinite;    /* 1: until cancelled */
    int32_t ponder;      /* 1: movetime and clock begin to count at kmd_search_ponderhit() */
    int32_t multipv;     /* number of best lines, 1..KMD_MAX_MULTIPV; 0: 1 */
    int32_t clock;       /* 1: the search chooses its time by the times below */
    int64_t remaining_ms[2]; /* by color */
    int64_t increment_ms[2]; /* after each move */
    int64_t byoyomi_ms;      /* for each move, once nothing remains */
    const kmd_move *search_moves; /* only these moves are looked at; null: all */
    size_t search_move_count;
} kmd_search_limits;

/* What is known of a score: after iterations all of it. Where a limit ends the search in the middle of one, the last score may be one that was to be looked at again. */
enum { KMD_BOUND_EXACT = 0, KMD_BOUND_LOWER = 1 /* at least the score */, KMD_BOUND_UPPER = 2 /* at most */ };

/* One of the best lines, after an iteration. */
typedef struct kmd_info {
    int32_t depth;
    int32_t selective_depth;
    int32_t multipv; /* number of the line, from 1 */
    int32_t kind;    /* KMD_SCORE_... */
    int32_t score;   /* as in kmd_result */
    int32_t bound;   /* KMD_BOUND_... */
    int32_t hashfull;
    int32_t pv_length;
    uint64_t nodes;
    uint64_t elapsed_us;
    kmd_move pv[KMD_MAX_PV]; /* replays legally */
} kmd_info;

/* KMD_ERR_ARGUMENT, KMD_ERR_INVALID_VALUE for rules that do not exist, KMD_ERR_MEMORY. options may be null. Since 0.1. */
KMD_API kmd_status kmd_searcher_new(const kmd_search_options *options, kmd_searcher *searcher);
/* A search that still runs keeps what it needs; its job goes on. Since 0.1. */
KMD_API kmd_status kmd_searcher_close(kmd_searcher searcher);
/* Forgets everything learnt, so that the next search is as from a new searcher. KMD_ERR_BUSY while it searches. Since 0.1. */
KMD_API kmd_status kmd_searcher_clear(kmd_searcher searcher);
/*
 * Starts a search of the board as it is, with its history; the board may be used on meanwhile. Without any limit KMD_ERR_ARGUMENT;
 * without both kings KMD_ERR_INVALID_POSITION; while it still searches KMD_ERR_BUSY. When search_moves holds no legal move the best
 * move is KMD_MOVE_NONE. At one thread and by limits of depth or nodes, a new or cleared searcher always finds the same. Since 0.1.
 */
KMD_API kmd_status kmd_search_start(kmd_searcher searcher, kmd_board board, const kmd_search_limits *limits, kmd_job *job);
/* The opponent made the move that is pondered upon: time begins to count. Of other jobs KMD_ERR_ARGUMENT. Since 0.1. */
KMD_API kmd_status kmd_search_ponderhit(kmd_job job);
/*
 * What a search has found since the last call, an entry for every line of every iteration, oldest first; it is given once. Fewer than capacity say
 * that nothing more waits. Of some ten thousand that nobody asks for the oldest are dropped. Since 0.1.
 */
KMD_API kmd_status kmd_search_infos(kmd_job job, kmd_info *infos, size_t capacity, size_t *count);
/*
 * The best lines as they stand, best first; once the job is done, those of its result. *count is how many there are; KMD_ERR_BUFFER when that is more than
 * capacity. Since 0.1.
 */
KMD_API kmd_status kmd_search_lines(kmd_job job, kmd_info *lines, size_t capacity, size_t *count);

/*
 * Starts a USI engine that reads commands from one file descriptor and answers on another until "quit" or the end of the input; docs/usi.md has them. Lines
 * of `commands` are carried out before anything is read; with input -1 nothing else is. The descriptors stay the caller's and open. KMD_ERR_IO when reading or writing
 * fails. Since 0.1.
 */
KMD_API kmd_status kmd_usi_start(int32_t input, int32_t output, const char *commands, size_t length, kmd_job *job);

/* --------------------------------------------------------------------------------------------------------------- Mates
 *
 * Mate problems (詰将棋): whether the side to move mates by checking on every move, whatever the other side replies. Every reply counts. A
 * position that returns fails the attacker. KMD_MATE_FOUND comes with a line that ends in checkmate and KMD_MATE_NONE only when every check has
 * been refuted; what a limit cuts short is KMD_MATE_UNKNOWN. The side to move needs no king.
 */
enum {
    KMD_MATE_SHORTEST = 1,    /* go on until no shorter mate exists; the line is then the longest resistance */
    KMD_MATE_FIRST_MOVES = 2, /* all first moves that keep the length, for kmd_mate_first_moves(); implies the former */
    KMD_MATE_SKIP_FUTILE = 4, /* depth of the result counts no futile interpositions (無駄合い: men put between that are taken and not needed); implies the first */
    KMD_MAX_MATE_PLIES = 2047,
    KMD_MAX_MATE_MB = 65536,
    KMD_MATE_QUICK_NODES = 10000 /* a few milliseconds */
};

typedef struct kmd_mate_limits {
    uint32_t size;       /* sizeof(kmd_mate_limits), by the caller */
    int32_t depth;       /* only mates within so many plies; 0: any up to KMD_MAX_MATE_PLIES */
    uint64_t nodes;      /* positions visited; 0: 1,000,000 when there is no time limit either, else no limit */
    int64_t movetime_ms; /* 0: no limit */
    int32_t memory_mb;   /* 1..KMD_MAX_MATE_MB, of each thread; 0: 64. Problems take what they need, and never more than this */
    uint32_t flags;      /* KMD_MATE_SHORTEST, KMD_MATE_FIRST_MOVES, KMD_MATE_SKIP_FUTILE */
    int64_t reserved;
} kmd_mate_limits;

/*
 * Looks for a forced mate by the side to move; limits may be null. The result has kind (KMD_MATE_...), depth (plies of the mate), best_move, proven,
 * nodes, and in pv the beginning of the line. While it works, polls give nodes, selective_depth (plies to the position at work), hashfull and depth (of
 * a mate that is being shortened). KMD_ERR_ARGUMENT, KMD_ERR_INVALID_POSITION without a king to mate, KMD_ERR_MEMORY. Since 0.1.
 */
KMD_API kmd_status kmd_mate_start(kmd_board board, const kmd_mate_limits *limits, kmd_job *job);
/* The whole line of a mate search that is done, before kmd_job_finish(); *count is its length also when capacity is too small (KMD_ERR_BUFFER). Before the
 * end KMD_ERR_BUSY. Since 0.1. */
KMD_API kmd_status kmd_mate_moves(kmd_job job, kmd_move *moves, size_t capacity, size_t *count);
/* In the same way the first moves of KMD_MATE_FIRST_MOVES: none unless the result is proven. Since 0.1. */
KMD_API kmd_status kmd_mate_first_moves(kmd_job job, kmd_move *moves, size_t capacity, size_t *count);
/*
 * Looks for a mate at once, on the calling thread and with 1 MiB: for problems that are solved sooner than a job is begun. nodes: 1..KMD_MATE_QUICK_NODES;
 * shortest: 1 as the flag. Returns KMD_MATE_... or, of a failure, its negative status. Since 0.1.
 */
KMD_API int32_t kmd_quick_mate(kmd_board board, int32_t nodes, int32_t shortest, kmd_result *result);

/* What the mate search of a row found. */
typedef struct kmd_mate_found {
    kmd_status status; /* KMD_OK, or why the row has no answer; all else is then 0 */
    int32_t kind;      /* KMD_MATE_... */
    int32_t length;    /* plies, 0 without a mate */
    kmd_move best_move;
    uint16_t proven;   /* as in kmd_result */
    uint64_t nodes;
} kmd_mate_found;

/* --------------------------------------------------------------------------------------------------------------- Books */

/*
 * Opening books (定跡): YaneuraOu's DB2016 and, where the name ends in .bin, Apery's. docs/usi.md has what is read of them. A book may be used by
 * several threads; a forked child has to open its own.
 */
typedef uint64_t kmd_book;

enum { KMD_NO_SCORE = -2147483648 };

typedef struct kmd_book_move {
    kmd_move move;
    kmd_move reply; /* the answer that is expected, or KMD_MOVE_NONE */
    int32_t score;  /* centipawns for the side to move, or KMD_NO_SCORE */
    int32_t depth;  /* of the search behind the score, 0 when the book does not say */
    uint32_t count; /* how often the move was played, or its weight; 0 when the book does not say */
} kmd_book_move;

/*
 * Opens a book. ignore_ply: 1 takes a position at any move number, that of the board first, else the lowest; flip: 1 looks also for the position turned
 * around with the sides exchanged. KMD_ERR_IO, KMD_ERR_PARSE with the offset. Since 0.1.
 */
KMD_API kmd_status kmd_book_open(const char *path, size_t length, int32_t ignore_ply, int32_t flip, kmd_book *book);
KMD_API kmd_status kmd_book_close(kmd_book book);
/*
 * The legal moves that the book has for a board's position, in its order; none when it does not know it. *count is how many there are; KMD_ERR_BUFFER when that is
 * more than capacity. KMD_ERR_PARSE for a line that cannot be read, KMD_ERR_IO. Since 0.1.
 */
KMD_API kmd_status kmd_book_lookup(kmd_book book, kmd_board board, kmd_book_move *moves, size_t capacity, size_t *count);
/* How many positions the book has; -1 when they are not counted, because it is searched on disk. Since 0.1. */
KMD_API kmd_status kmd_book_size(kmd_book book, int64_t *positions);

/* -------------------------------------------------------------------------------------------------------- Game records */

/*
 * Game records (棋譜): KIF, KI2, CSA, JKF, position lines of USI, SFEN, diagrams. docs/records.md has what is read and written of each.
 *
 * A record crosses in flat form: one block of memory of the caller, without pointers, which can be copied, stored and sent, and has nothing to be
 * closed; it goes on through a fork. It has numbers in the byte order of the machine, is aligned to 8 bytes, and holds in this order
 *
 *   kmd_kifu_head                    one
 *   kmd_kifu_node     x head.nodes   the start; the moves of the main line and its ending; then the variations. Parents come before their children,
 *                                    and of the children of a node the first goes on the line and the others are variations, in order
 *   kmd_kifu_note     x head.notes   texts beside nodes, those of a node in order
 *   kmd_kifu_header   x head.headers in the order of the record; keys are those of KIF
 *   kmd_kifu_warning  x head.warnings
 *   text                             UTF-8; spans count from head.text
 *
 * kmd_kifu_check() and what writes records check all of it: a program may make such a block itself.
 */
enum {
    KMD_KIFU_AUTO = 0, /* when reading: what the text looks like */
    KMD_KIFU_KIF = 1,
    KMD_KIFU_KI2 = 2,
    KMD_KIFU_CSA = 3,
    KMD_KIFU_JKF = 4,
    KMD_KIFU_USI = 5,
    KMD_KIFU_SFEN = 6,
    KMD_KIFU_BOD = 7
};

enum {
    KMD_ENCODING_AUTO = 0,
    KMD_ENCODING_UTF8 = 1,
    KMD_ENCODING_CP932 = 2,
    KMD_ENCODING_EUCJP = 3,
    KMD_ENCODING_ISO2022JP = 4,
    KMD_ENCODING_UTF16 = 5
};

/* How a line of a record ends. */
enum {
    KMD_ENDING_NONE = 0,
    KMD_ENDING_RESIGN = 1,           /* 投了: the side to move has lost */
    KMD_ENDING_PAUSED = 2,           /* 中断 */
    KMD_ENDING_REPETITION = 3,       /* 千日手 */
    KMD_ENDING_IMPASSE = 4,          /* 持将棋 */
    KMD_ENDING_MATE = 5,             /* 詰み: the side to move has lost */
    KMD_ENDING_NO_MATE = 6,          /* 不詰 */
    KMD_ENDING_TIME_UP = 7,          /* 切れ負け: the side to move has lost */
    KMD_ENDING_ILLEGAL_MOVE = 8,     /* 反則負け: the side to move has lost */
    KMD_ENDING_ILLEGAL_BEFORE = 9,   /* 反則勝ち: the side to move has won, the move before was against the rules */
    KMD_ENDING_DECLARATION = 10,     /* 入玉勝ち: the side to move has won */
    KMD_ENDING_FORFEIT_LOSS = 11,    /* 不戦敗: the side to move has lost */
    KMD_ENDING_FORFEIT_WIN = 12,     /* 不戦勝: the side to move has won */
    KMD_ENDING_MAX_MOVES = 13,       /* 最大手数: a draw */
    KMD_ENDING_DRAW_DECLARED = 14,   /* 引き分け */
    KMD_ENDING_TAKE_BACK = 15,       /* 待った */
    KMD_ENDING_FAILURE = 16,         /* an error of the program that kept the record */
    KMD_ENDING_OTHER = 17            /* any other; a note has its words */
};

/* Flags of a node; bits 4 and 5 are the result of an ending + 1, 0 without one. */
enum {
    KMD_NODE_ILLEGAL = 1, /* the move breaks the rules */
    KMD_NODE_UNPLAYED = 2 /* ... and the board cannot show it: it stays as it was, and nothing but an ending follows */
};

enum {
    KMD_NOTE_COMMENT = 1,
    KMD_NOTE_BOOKMARK = 2,
    KMD_NOTE_REMARK = 3, /* what readers of the format pass over: # of KIF, ' without * of CSA */
    KMD_NOTE_WORDS = 4   /* of an ending, as the record has them where that is not the usual way */
};

enum {
    KMD_WARN_ILLEGAL = 1,   /* a move against the rules, kept */
    KMD_WARN_UNPLAYED = 2,  /* a move that the board cannot show, kept */
    KMD_WARN_ENCODING = 3,  /* bytes that are no characters, read as U+FFFD */
    KMD_WARN_PLIES = 4,     /* the record says another number of moves than it has */
    KMD_WARN_NUMBER = 5,    /* a move has another number than its place */
    KMD_WARN_ENDING = 6,    /* an ending of unknown meaning, kept as text */
    KMD_WARN_VARIATION = 7, /* a variation that the line before it has no place for, taken for one of an earlier line */
    KMD_WARN_RESULT = 8,    /* the record names another winner than its ending does; the name counts */
    KMD_WARN_TIME = 9       /* a time of a billion minutes or more, kept as the longest that there is */
};

enum { KMD_KIFU_MAGIC = 827018571, KMD_NO_RESULT = 255 };

typedef struct kmd_span {
    uint32_t offset; /* from head.text, in bytes */
    uint32_t length;
} kmd_span;

typedef struct kmd_kifu_head {
    uint32_t magic;        /* KMD_KIFU_MAGIC */
    uint32_t size;         /* of the block in bytes, a multiple of 8 */
    int32_t status;        /* KMD_OK, or the error at which reading stopped: the record has what was read before */
    int32_t format;        /* KMD_KIFU_... that was read */
    int32_t encoding;      /* KMD_ENCODING_... that was read */
    uint32_t plies;        /* moves of the main line: nodes 1..plies */
    uint32_t nodes;
    uint32_t notes;
    uint32_t headers;
    uint32_t warnings;
    kmd_span start;        /* as SFEN */
    kmd_span message;      /* of the error */
    int32_t error_line;    /* from 1, 0 without lines */
    int32_t error_column;  /* in characters, from 1 */
    int64_t error_offset;  /* in bytes of the text as UTF-8, or -1 */
    uint32_t text;         /* where the text begins in the block */
    uint8_t result;        /* KMD_BLACK_WIN, KMD_WHITE_WIN, KMD_DRAW or KMD_NO_RESULT */
    uint8_t end;           /* KMD_END_... */
    uint16_t reserved;
} kmd_kifu_head;

typedef struct kmd_kifu_node {
    int64_t time_ms; /* that the move took, -1 where the record does not say */
    int32_t parent;  /* -1 of the start */
    kmd_move move;   /* KMD_MOVE_NONE of the start and of endings */
    uint8_t ending;  /* KMD_ENDING_..., KMD_ENDING_NONE of moves */
    uint8_t flags;   /* KMD_NODE_... */
} kmd_kifu_node;

typedef struct kmd_kifu_note {
    uint32_t node;
    uint32_t kind; /* KMD_NOTE_... */
    kmd_span text;
} kmd_kifu_note;

typedef struct kmd_kifu_header {
    kmd_span key;
    kmd_span value;
} kmd_kifu_header;

typedef struct kmd_kifu_warning {
    int32_t kind; /* KMD_WARN_... */
    int32_t line; /* from 1, 0 without lines */
    int32_t column;
    int32_t node; /* or -1 */
    kmd_span text;
} kmd_kifu_warning;

/* How to read. All zero but size: what the text looks like, illegal moves are kept and flagged. */
typedef struct kmd_kifu_options {
    uint32_t size;
    int32_t format;         /* KMD_KIFU_... */
    int32_t encoding;       /* KMD_ENCODING_... */
    int32_t refuse_illegal; /* 1: a move against the rules is KMD_ERR_ILLEGAL_MOVE */
} kmd_kifu_options;

/*
 * Reads the games of a text, of which it may have several, into blocks that follow each other in buffer (8-byte aligned). *needed is their size.
 *
 * When reading stops at an error, that is the status (KMD_ERR_PARSE, KMD_ERR_ILLEGAL_MOVE or KMD_ERR_AMBIGUOUS_MOVE, with the offset), and the
 * blocks of what was read before are there all the same, when *needed is not 0: the last one's head has the error. KMD_ERR_BUFFER when
 * they do not fit, with nothing written; KMD_ERR_MEMORY when there is no memory for them. Texts have at most 64 MB. options may be null. Since 0.1.
 */
KMD_API kmd_status kmd_kifu_read(const char *text, size_t length, const kmd_kifu_options *options, uint8_t *buffer, size_t capacity, size_t *needed);

/*
 * Checks a block that a program has made, in which the nodes may have any order with parents before their children, and writes it in the order above, with
 * plies, result and end, KMD_NODE_ILLEGAL and KMD_NODE_UNPLAYED filled in; the result of an ending is kept where the block has one. size may be
 * more than the block's. KMD_ERR_ARGUMENT for what is no block; KMD_ERR_INVALID_POSITION for a start that boards refuse; KMD_ERR_ILLEGAL_MOVE for a
 * move after one that the board cannot show, or a pass in check; KMD_ERR_BUFFER. Since 0.1.
 */
KMD_API kmd_status kmd_kifu_check(const uint8_t *kifu, size_t size, uint8_t *buffer, size_t capacity, size_t *needed);

/* How to write. encoding 0 is UTF-8; csa_version 0 is 22. */
typedef struct kmd_kifu_write_options {
    uint32_t size;
    int32_t format;      /* KMD_KIFU_KIF .. KMD_KIFU_BOD */
    int32_t encoding;    /* KMD_ENCODING_... */
    int32_t csa_version; /* 22 or 30: of KMD_KIFU_CSA */
} kmd_kifu_write_options;

/*
 * Writes a record as text, in the encoding that is asked for. kmd_kifu_losses() says what is not in it. KMD_ERR_INVALID_VALUE for a move that
 * the format cannot say (no record becomes shorter in silence), and for a character that the encoding does not have. Since 0.1.
 */
KMD_API kmd_status kmd_kifu_write(const uint8_t *kifu, size_t size, const kmd_kifu_write_options *options, char *buffer, size_t capacity, size_t *needed);

/* What kmd_kifu_write() has no place for, a line each, such as "3 variations"; empty when all is kept. Since 0.1. */
KMD_API kmd_status kmd_kifu_losses(const uint8_t *kifu, size_t size, const kmd_kifu_write_options *options, char *buffer, size_t capacity, size_t *needed);

/* What an engine said of a position in a comment: as floodgate, ShogiHome and ShogiGUI write it, see docs/records.md. */
typedef struct kmd_kifu_analysis {
    int32_t node;     /* where the comment stands */
    int32_t start;    /* the node after which the line begins: this one, or the one before when the line begins with this one's move */
    int32_t rank;     /* 1 is the best line; 1 where it is not said */
    int32_t depth;    /* 0 where it is not said */
    int32_t score;    /* centipawns for Black */
    int32_t mate;     /* not 0: plies to a mate, positive when Black mates; +-KMD_MATE_DISTANCE_UNKNOWN where the plies are not said */
    int64_t nodes;    /* 0 where it is not said */
    uint32_t first;   /* of its moves among all moves */
    uint32_t moves;   /* how many it has */
} kmd_kifu_analysis;

enum { KMD_MATE_DISTANCE_UNKNOWN = 1048576 };

/*
 * What engines said, in the order of the comments, and the moves of their lines. *count and *move_count are how many there are; KMD_ERR_BUFFER when
 * there are more than room, with nothing written. Since 0.1.
 */
KMD_API kmd_status kmd_kifu_analyses(const uint8_t *kifu, size_t size, kmd_kifu_analysis *analyses, size_t capacity, size_t *count, kmd_move *moves, size_t move_capacity, size_t *move_count);

/*
 * Sets a board to the position after a node of the record in size bytes at kifu, with the history of its line: that since the last move against
 * the rules where there was one. KMD_ERR_INVALID_POSITION when such moves have made a position that boards refuse, KMD_ERR_INVALID_VALUE for a node
 * that does not exist, KMD_ERR_ARGUMENT for what is no record. Since 0.1.
 */
KMD_API kmd_status kmd_board_set_kifu(kmd_board board, const uint8_t *kifu, size_t size, uint32_t node);

/* ------------------------------------------------------------------------------------------------------------- Batches */

/*
 * Functions over many rows use `threads` threads (0: kmd_threads()) and give the same answer on any number. With row_status (n
 * entries) each row reports for itself, bad rows are zero-filled and the call returns KMD_OK; without it the lowest bad row decides
 * the status and kmd_last_error() names it. Outputs may overlap neither each other nor inputs: KMD_ERR_ARGUMENT.
 */

/* Labels of moves. turns: 0 or 1 per row, or null for Black throughout. A row without label is KMD_NO_LABEL and KMD_ERR_INVALID_VALUE. Since 0.1. */
KMD_API kmd_status kmd_labels_batch(const kmd_move *moves, const uint8_t *turns, size_t n, int32_t compact, int32_t threads, uint16_t *labels, kmd_status *row_status);

/*
 * Rows of fixed size: packed positions of 32 bytes; records of 38, 40, 38 and 48 that begin with one; and boards of 96 bytes: a piece for each square, the counts in the hands of
 * Black and White (P L N S B R G each), the side to move. Boards, unlike the packed forms, may lack kings. Rows of HCPE3 are made by kmd_hcpe3_rows_batch().
 */
enum {
    KMD_FORMAT_HCP = 1,
    KMD_FORMAT_PACKED_SFEN = 2,
    KMD_FORMAT_HCPE = 3,
    KMD_FORMAT_PSV = 4,
    KMD_FORMAT_HCPE2 = 5,
    KMD_FORMAT_HCPE3 = 6,
    KMD_FORMAT_BOARD = 7
};
enum { KMD_RESULT_APERY = 1, KMD_RESULT_YANEURAOU = 2, KMD_RESULT_RSSHOGI = 3, KMD_RESULT_DLSHOGI = 4 };
enum { KMD_CHECK_LEGAL = 0, KMD_CHECK_NONE = 1 };
enum { KMD_LABELS_FULL = 0, KMD_LABELS_COMPACT = 1 };
enum { KMD_FLOAT32 = 0, KMD_FLOAT16 = 1, KMD_UINT8 = 2, KMD_BITS = 3 };

/* A move that a search looked at, and how often. */
typedef struct kmd_candidate {
    kmd_apery move;
    uint16_t visits;
} kmd_candidate;

/* Rows of one format. Functions that need positions alone leave the rest of records alone. */
typedef struct kmd_rows {
    uint32_t size;  /* sizeof(kmd_rows), by the caller */
    int32_t format; /* KMD_FORMAT_... */
    const uint8_t *data;
    size_t stride; /* bytes from row to row; 0: they follow each other */
    size_t n;
    int32_t threads; /* 0: kmd_threads() */
    int32_t reserved;
    const kmd_candidate *candidates; /* of rows of HCPE3; each row says which are its own */
    size_t candidate_count;
    const int32_t *cancel; /* null, or a word that ends the call soon with KMD_ERR_CANCELLED when another thread makes it other than 0; rows not reached get that status */
} kmd_rows;

/* Planes by number, seen by the side to move: 0..61 dlshogi's board planes, 62..180 its flat planes, the others are this library's. */
enum { KMD_PLANES = 216, KMD_MAX_STACK = 512 };

/* The name of a plane: pieces.own.pawn, attacks.opponent.rook, attacked.own.2, hands.own.gold.1, check, camp.own.king, ... KMD_ERR_INVALID_VALUE. Since 0.1. */
KMD_API kmd_status kmd_plane_name(uint16_t plane, char *buffer, size_t capacity, size_t *needed);

/*
 * Planes by name: words between commas or spaces, each the name of a plane or its beginning up to a dot, for all that begin so: "pieces", "hands.own".
 * KMD_ERR_PARSE; KMD_ERR_BUFFER when there are more than capacity, *count is set. Since 0.1.
 */
KMD_API kmd_status kmd_planes_parse(const char *text, size_t length, uint16_t *planes, size_t capacity, size_t *count);

/*
 * Sparse inputs of NNUE networks, in YaneuraOu's numbering: HalfKP (38 indices a side, below 125388), HalfKA (40, 138510) and HalfKA_hm1 (40, 76950). A
 * missing man has the index of piece 0. Indices are ascending.
 */
enum { KMD_NNUE_HALFKP = 1, KMD_NNUE_HALFKA = 2, KMD_NNUE_HALFKA_HM1 = 3 };

/* What to make of records. Every output may be null and has n rows. */
typedef struct kmd_decode {
    uint32_t size;            /* sizeof(kmd_decode), by the caller */
    int32_t features2_planes; /* 57 or 119 */
    int32_t labels;           /* KMD_LABELS_... */
    int32_t label_bytes;      /* 2, 4 or 8: label is uint16, int32 or int64 */
    int32_t check;            /* KMD_CHECK_LEGAL: a best move that is not legal makes a bad row */
    int32_t convention;       /* KMD_RESULT_..., 0: Apery for HCPE, YaneuraOu for PSV, dlshogi for HCPE2 and HCPE3 */
    int32_t element;          /* of features1 and features2: KMD_FLOAT32, KMD_FLOAT16, KMD_UINT8; KMD_BITS: 628 bytes, and 8 or 15 with a bit per plane */
    int32_t mirror_all;       /* 1: read every row with its files mirrored */
    const uint8_t *mirror;    /* n entries, 1 to mirror the row, or null */
    double value_scale;       /* of the evaluations; 0: dlshogi's 756.0864962951762 */
    void *features1;          /* 62 * 81 elements a row */
    void *features2;          /* features2_planes * 81 elements a row */
    void *label;              /* of the best move */
    float *value;             /* winning probability by the evaluation, side to move */
    float *result;            /* 1, 0.5, 0 for the side to move */
    kmd_move *move;           /* the best move */
    int16_t *eval;
    uint8_t *turn;
    uint16_t *ply;            /* of PSV and HCPE3; 1 for HCPE and HCPE2 */
    uint64_t *key;
    uint8_t *ending;          /* how the game ended: bit 2 repetition, 3 declaration, 4 limit of moves; 0 where the result byte does not tell */

    const uint16_t *stack;    /* planes of one's own choice, by number */
    size_t stack_count;       /* at most KMD_MAX_STACK */
    void *planes;             /* 81 elements for each of them; as KMD_BITS (81*stack_count + 7)/8 bytes */

    uint8_t *mask;            /* of legal moves: a byte 0 or 1 per label */
    uint8_t *mask_bits;       /* the same, a bit per label, 274 or 187 bytes */

    float *policy;            /* a share for each label by the visits of candidates; all for the best move where the format has none; rows of HCPE3 without candidates are 0 */
    int32_t *policy_labels;   /* the same, sparse: labels, filled up with -1, ... */
    float *policy_weights;    /* ... and their shares, policy_width a row; more candidates make a bad row */
    int32_t policy_width;     /* at most KMD_HCPE3_MAX_CANDIDATES */
    int32_t nnue;             /* KMD_NNUE_... */
    void *nnue_indices;       /* those of the side to move, then those of the other side */
    int32_t nnue_bytes;       /* 4 or 8: indices are int32 or int64 */
    int32_t nnue_pad;         /* 1: missing men have no index, -1 fills the end */
    double temperature;       /* of policies: 1 shares of visits, 0 all for the most visited, else visits to the power of 1/temperature */
    double blend;             /* share of the result in value, 0..1 */

    double mirror_share;      /* without mirror and mirror_all: so many of all rows are mirrored, 0..1, chosen by ... */
    uint64_t mirror_seed;     /* ... a seed and the record's number: */
    uint64_t first_row;       /* that of the first row, counted on from there, */
    const uint64_t *row_numbers; /* or, when not null, n numbers */
} kmd_decode;

/* What the search of a row found: an entry for each of limits->multipv lines. */
enum { KMD_FOUND_PV = 24 };
typedef struct kmd_found {
    kmd_status status; /* KMD_OK, or why the row has no answer; all else is then 0 */
    int32_t kind;      /* KMD_SCORE_...; 0: there are fewer lines than wanted */
    int32_t score;     /* as in kmd_result */
    int32_t depth;
    uint64_t nodes;     /* of the row, in the first line */
    kmd_move best_move; /* that of the line; KMD_MOVE_RESIGN, KMD_MOVE_WIN and KMD_MOVE_NONE in the first line as in kmd_result */
    uint16_t pv_length;
    int32_t bound; /* KMD_BOUND_... of the score */
    kmd_move pv[KMD_FOUND_PV]; /* the beginning of the line */
} kmd_found;

/*
 * Starts searches of many positions, each on one thread and as by a new searcher, with rows->threads of them at a time and as many transposition tables;
 * options->threads does not count. By limits of depth or nodes the answers are the same on any number of threads. The rows are copied. Clock, infinite
 * and ponder are KMD_ERR_ARGUMENT. Since 0.1.
 */
KMD_API kmd_status kmd_search_batch_start(const kmd_rows *rows, const kmd_search_options *options, const kmd_search_limits *limits, kmd_job *job);
/*
 * Entries of a batch that is done, from number first on; there are rows times lines. KMD_ERR_BUSY before it is done, KMD_ERR_ARGUMENT for entries that do
 * not exist. After kmd_job_cancel() rows without an answer have KMD_ERR_CANCELLED. Since 0.1.
 */
KMD_API kmd_status kmd_search_batch_found(kmd_job job, size_t first, size_t count, kmd_found *found);

/*
 * Starts mate searches of many positions, each on one thread within the same limits, with rows->threads of them at a time. By limits of depth or nodes the
 * answers are the same on any number of threads. The rows are copied. KMD_MATE_FIRST_MOVES and KMD_MATE_SKIP_FUTILE are KMD_ERR_ARGUMENT. Since 0.1.
 */
KMD_API kmd_status kmd_mate_batch_start(const kmd_rows *rows, const kmd_mate_limits *limits, kmd_job *job);
/* Rows of a batch that is done, from number first on, before kmd_job_finish(). Errors as of kmd_search_batch_found(). Since 0.1. */
KMD_API kmd_status kmd_mate_batch_found(kmd_job job, size_t first, size_t count, kmd_mate_found *found);
/* The lines of all rows: that of row i is moves[offsets[i]] to moves[offsets[i+1]]; offsets has an entry more than there are rows and is right also when
 * capacity is too small (KMD_ERR_BUFFER). Since 0.1. */
KMD_API kmd_status kmd_mate_batch_moves(kmd_job job, int64_t *offsets, kmd_move *moves, size_t capacity);

/* Records to inputs and targets of training. Bad rows: KMD_ERR_PARSE, KMD_ERR_INVALID_POSITION, KMD_ERR_INVALID_VALUE (move,
 * label or result), KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_decode_batch(const kmd_rows *rows, const kmd_decode *decode, kmd_status *row_status);

/*
 * Labels of the best moves of records, full and compact; either may be null. Positions are not looked at, but for the side to move: this is many times faster than
 * decoding. A row whose move has no label is 0 and KMD_ERR_INVALID_VALUE. Since 0.1.
 */
KMD_API kmd_status kmd_record_labels_batch(const kmd_rows *rows, uint16_t *full, uint16_t *compact, kmd_status *row_status);

/* Canonical SFEN of every row: that of row i is text[offsets[i]] to text[offsets[i+1]]; offsets has n+1 entries. KMD_ERR_BUFFER when capacity is
 * too small; offsets are right all the same. Since 0.1. */
KMD_API kmd_status kmd_sfens_batch(const kmd_rows *rows, int64_t *offsets, char *text, size_t capacity, kmd_status *row_status);

/* The inverse: n texts, row i from text[offsets[i]] to text[offsets[i+1]], to positions (format KMD_FORMAT_HCP, KMD_FORMAT_PACKED_SFEN or KMD_FORMAT_BOARD). Since 0.1. */
KMD_API kmd_status kmd_encode_batch(const char *text, const int64_t *offsets, size_t n, int32_t format, int32_t threads, uint8_t *packed, kmd_status *row_status);

/*
 * kmd_kifu_read() for n texts, row i from text[offsets[i]] to text[offsets[i+1]]: the blocks of its games are buffer[places[i]] to buffer[places[i+1]]; places
 * has n+1 entries. A row that cannot be read to its end has what was read before, and the error in its last head. KMD_ERR_BUFFER when capacity is
 * too small; places are right all the same, and buffer holds some of the blocks. Since 0.1.
 */
KMD_API kmd_status kmd_kifu_read_batch(const char *text, const int64_t *offsets, size_t n, const kmd_kifu_options *options, int32_t threads, uint8_t *buffer, size_t capacity, int64_t *places, kmd_status *row_status);

/* Legal moves of every row, in the same ragged form. Since 0.1. */
KMD_API kmd_status kmd_legal_moves_batch(const kmd_rows *rows, int64_t *offsets, kmd_move *moves, size_t capacity, kmd_status *row_status);

/* Which labels legal moves have: a byte (0 or 1) per label, or with bits != 0 a bit; 2187 or 1496 labels, 274 or 187 bytes of bits. Since 0.1. */
KMD_API kmd_status kmd_legal_masks_batch(const kmd_rows *rows, int32_t compact, int32_t bits, uint8_t *masks, kmd_status *row_status);

/* Which of the records with these numbers kmd_decode_batch() mirrors. Since 0.1. */
KMD_API kmd_status kmd_mirrored_batch(double share, uint64_t seed, const uint64_t *numbers, size_t n, uint8_t *mirrored);

/* What to find out of positions. Every output may be null and has n rows. */
typedef struct kmd_facts {
    uint32_t size;         /* sizeof(kmd_facts), by the caller */
    int32_t rule;          /* KMD_RULE_... of verdict and points */
    uint64_t *key;
    uint8_t *turn;
    uint8_t *in_check;     /* 1 when the side to move is in check */
    uint16_t *legal_count; /* number of legal moves */
    kmd_move *mate_in_one; /* a mating move, KMD_MOVE_NONE without */
    uint8_t *verdict;      /* KMD_VERDICT_...: what declaring would bring to the side to move */
    uint8_t *points;       /* its points, in camp and hand */
} kmd_facts;

/* Reads every position once. verdict and points need both kings: KMD_ERR_INVALID_POSITION without. Since 0.1. */
KMD_API kmd_status kmd_facts_batch(const kmd_rows *rows, const kmd_facts *facts, kmd_status *row_status);

/* Every position after a move, in a form for positions alone (KMD_FORMAT_HCP, ..._PACKED_SFEN, ..._BOARD). KMD_ERR_ILLEGAL_MOVE. Since 0.1. */
KMD_API kmd_status kmd_play_batch(const kmd_rows *rows, const kmd_move *moves, int32_t format, uint8_t *out, kmd_status *row_status);

/*
 * Of every row by square how many pieces of a color attack it, or with by_kind != 0 how many of each kind (index 0: all): 2 * 81 or 2 * 15 * 81
 * bytes a row, as kmd_board_attack_counts() and kmd_board_attack_counts_by_kind() have them. Since 0.1.
 */
KMD_API kmd_status kmd_attack_counts_batch(const kmd_rows *rows, int32_t xray, int32_t by_kind, uint8_t *counts, kmd_status *row_status);

/* The legal move of every row that has a label. Since 0.1. */
KMD_API kmd_status kmd_moves_of_labels_batch(const kmd_rows *rows, const uint16_t *labels, int32_t compact, kmd_move *moves, kmd_status *row_status);

/*
 * Rows in another form, written densely: positions to positions, records to records or to positions alone. HCPE and HCPE2 store no
 * ply: PSV made from them has 0. A row of HCPE3 made from another format has one candidate, its best move with one visit.
 */
typedef struct kmd_conversion {
    uint32_t size;             /* sizeof(kmd_conversion), by the caller */
    int32_t format;            /* of what is made */
    int32_t flip;              /* 1: turn the board by 180 degrees and exchange the sides; moves and absolute results follow */
    int32_t mirror;            /* 1: mirror the files; moves follow */
    int32_t convention;        /* KMD_RESULT_... of the rows, 0: the format's own */
    int32_t new_convention;    /* and of what is made */
    uint8_t *out;              /* n rows */
    kmd_candidate *candidates; /* of HCPE3: candidate_count of the rows where those are HCPE3 too, else n */
    /* Added to: rows that lost ... */
    uint64_t lost_plies;       /* ... the ply, */
    uint64_t lost_endings;     /* how the game ended, */
    uint64_t lost_candidates;  /* moves and visits of candidates but for the best move, */
    uint64_t lost_untrained;   /* that the move is no training target, */
    uint64_t lost_opponents;   /* that one side was another engine, */
    uint64_t lost_extras;      /* an unused last byte that is not 0 */
} kmd_conversion;

/* Bad rows: KMD_ERR_PARSE, KMD_ERR_INVALID_POSITION, KMD_ERR_INVALID_VALUE. Since 0.1. */
KMD_API kmd_status kmd_convert_batch(const kmd_rows *rows, kmd_conversion *conversion, kmd_status *row_status);

/* Copies rows by number: row i of out is row numbers[i], candidates stay where they are. A number outside the rows is KMD_ERR_ARGUMENT. Since 0.1. */
KMD_API kmd_status kmd_gather_batch(const kmd_rows *rows, const int64_t *numbers, size_t n, uint8_t *out);

/* -------------------------------------------------------------------------------------------------------------- HCPE3 */

/*
 * HCPE3 files hold whole games, of different lengths. To read one: kmd_hcpe3_index() finds the games, kmd_hcpe3_rows_batch() makes rows of
 * some of their positions, kmd_hcpe3_candidates() brings their candidates together; then the rows are a format like others. To write one:
 * kmd_convert_batch() makes rows, kmd_hcpe3_pack() makes games of them.
 */
enum { KMD_HCPE3_ROW_SIZE = 48, KMD_HCPE3_MAX_MOVES = 513, KMD_HCPE3_MAX_CANDIDATES = 593 };

/* Where a game lies. */
typedef struct kmd_hcpe3_game {
    uint64_t offset;
    uint32_t length;  /* bytes */
    uint16_t moves;   /* at most KMD_HCPE3_MAX_MOVES */
    uint16_t targets; /* moves with candidates: those to train on */
} kmd_hcpe3_game;

/* Which moves of a game are rows; 0: all. */
enum {
    KMD_HCPE3_TARGETS = 1,         /* those with candidates */
    KMD_HCPE3_SKIP_REPETITIONS = 2 /* not those that lead to a repetition within 16 plies, superior and inferior included, as in dlshogi */
};

/* A file, or a part of one that begins with a game. */
typedef struct kmd_hcpe3_file {
    uint32_t size;  /* sizeof(kmd_hcpe3_file), by the caller */
    int32_t which;  /* KMD_HCPE3_TARGETS | ... */
    const uint8_t *data;
    size_t length;
    int32_t threads; /* 0: kmd_threads() */
    int32_t reserved;
} kmd_hcpe3_file;

/*
 * Finds games, at most capacity, without looking at positions and moves; offsets count from base. *count is their number, *used the bytes that
 * they take: what is left begins within a game or with one that found no room. With last != 0 nothing follows the data, and a game that is cut
 * short is KMD_ERR_PARSE, as are counts beyond the limits always; kmd_last_error() has the offset, *count and *used are set all the same. Since 0.1.
 */
KMD_API kmd_status kmd_hcpe3_index(const uint8_t *data, size_t length, uint64_t base, int32_t last, kmd_hcpe3_game *games, size_t capacity, size_t *count, size_t *used);

/*
 * Rows of 48 bytes (KMD_FORMAT_HCPE3): row i is row places[i], counted from 0 among those that file->which chooses, of the game at data[games[i]]. at[i] becomes
 * the place of its candidates in data. A bad row (KMD_ERR_PARSE, KMD_ERR_INVALID_POSITION; KMD_ERR_ILLEGAL_MOVE when a move before it is not legal) is zero but for
 * its status, which it keeps, so that later calls report it too. Rows of one game in ascending order are read in one go. Since 0.1.
 */
KMD_API kmd_status kmd_hcpe3_rows_batch(const kmd_hcpe3_file *file, const uint64_t *games, const uint16_t *places, size_t n, uint8_t *rows, int64_t *at, kmd_status *row_status);

/*
 * Copies the candidates of n rows, one row's after the other's, and tells the rows where they are: the first is number `first` of kmd_rows.candidates.
 * *count is their number; KMD_ERR_BUFFER when capacity is smaller, as many as fit are written then and the rows are right all the same. Since 0.1.
 */
KMD_API kmd_status kmd_hcpe3_candidates(const kmd_hcpe3_file *file, const int64_t *at, size_t n, uint8_t *rows, uint64_t first, kmd_candidate *candidates, size_t capacity, size_t *count);

/*
 * Looks at n whole games: positions, results, opponents, that moves played are legal, that candidates are moves with visits and, with KMD_CHECK_LEGAL, legal.
 * counts, which may be null, becomes the number of rows of each. row_status is by game. Since 0.1.
 */
KMD_API kmd_status kmd_hcpe3_check_batch(const kmd_hcpe3_file *file, const uint64_t *games, size_t n, int32_t check, uint16_t *counts, kmd_status *row_status);

/*
 * Rows of HCPE3 as games of the file format: rows of which each continues the one before become one game. With last = 0 the last game's are left for the next
 * call: *used is the number of rows written. *needed is the number of bytes; KMD_ERR_BUFFER when capacity is smaller. *lost_plies counts rows that
 * will be read with another ply, because their game does not begin with ply 1. Bad rows are left out. Since 0.1.
 */
KMD_API kmd_status kmd_hcpe3_pack(const kmd_rows *rows, int32_t last, uint8_t *out, size_t capacity, size_t *needed, size_t *used, uint64_t *lost_plies, kmd_status *row_status);

/* --------------------------------------------------------------------------------------------------------------- Files */

/*
 * Files of training data, as memory: rows are read from the disk when they are looked at, where the system can do that. What kmd_file_rows() and
 * kmd_file_hcpe3() give is good until the file is closed; a file that is cut short meanwhile makes functions fail with KMD_ERR_IO. A forked child has to open its own.
 */
typedef uint64_t kmd_file;

/*
 * Opens a file. format: KMD_FORMAT_..., or 0 when its name ends in .hcpe, .hcpe2, .hcpe3 or .psv. KMD_ERR_IO; KMD_ERR_PARSE for a file that does not hold
 * whole rows, with the offset of the rest. Since 0.1.
 */
KMD_API kmd_status kmd_file_open(const char *path, size_t length, int32_t format, kmd_file *file);
KMD_API kmd_status kmd_file_close(kmd_file file);

/* Format, length and number of rows, which is 0 of HCPE3: kmd_hcpe3_index() counts its games. Each pointer may be null. Since 0.1. */
KMD_API kmd_status kmd_file_size(kmd_file file, int32_t *format, uint64_t *bytes, uint64_t *rows);

/* Sets format, data, stride and n of *rows to rows of a file, from number first on. KMD_ERR_ARGUMENT for rows that do not exist, and of HCPE3. Since 0.1. */
KMD_API kmd_status kmd_file_rows(kmd_file file, uint64_t first, uint64_t count, kmd_rows *rows);

/* Sets data and length of *whole to those of a file of HCPE3; KMD_ERR_ARGUMENT of others. Since 0.1. */
KMD_API kmd_status kmd_file_hcpe3(kmd_file file, kmd_hcpe3_file *whole);

/*
 * Writes a file of these bytes, which takes its name when it is whole: until then, and when writing fails, the old file stays, if there is one. Only
 * regular files are replaced. KMD_ERR_IO. Since 0.1.
 */
KMD_API kmd_status kmd_file_write(const char *path, size_t length, const uint8_t *data, size_t size);

/* ------------------------------------------------------------------------------------------------------------- Records */

/*
 * Records of one game: writes a record for every move of the board's history, oldest first, with evals (one per move, side to move's view) and
 * the game's result (0 Black won, 1 White won, 2 draw). *count is the number of moves; KMD_ERR_BUFFER when capacity (in records) is smaller.
 * A history with a pass is KMD_ERR_INVALID_VALUE. Since 0.1.
 */
KMD_API kmd_status kmd_board_records(kmd_board board, int32_t format, int32_t convention, const int16_t *evals, int32_t result, uint8_t *records, size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
