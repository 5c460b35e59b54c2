/* Counts positions and looks for the best move, in C: perft [DEPTH [SFEN]] */
#include <komadori.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with what the library says about its last failure. */
static void check(kmd_status status)
{
    kmd_error error = {.size = sizeof error};
    if (status >= 0)
        return;
    kmd_last_error(&error);
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static uint64_t count(kmd_board board, int depth)
{
    kmd_move moves[KMD_MAX_LEGAL_MOVES];
    uint64_t nodes = 0;
    int32_t n = kmd_board_list(board, moves);
    check(n);
    if (depth == 1)
        return (uint64_t)n;
    for (int32_t i = 0; i < n; i++) {
        check(kmd_board_push(board, moves[i]));
        nodes += count(board, depth - 1);
        check(kmd_board_pop(board, NULL));
    }
    return nodes;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 3;
    kmd_board board;
    kmd_searcher searcher;
    kmd_job job;
    kmd_result result = {.size = sizeof result};
    kmd_search_limits limits = {.size = sizeof limits, .depth = 6};
    char usi[8];
    size_t length;

    if (kmd_abi_version() != KMD_ABI_VERSION) {
        fprintf(stderr, "the library is of another version than its header\n");
        return 1;
    }
    check(argc > 2 ? kmd_board_from_sfen(argv[2], strlen(argv[2]), &board) : kmd_board_new(&board));
    printf("perft %d: %" PRIu64 " move by move, ", depth, count(board, depth));
    check(kmd_perft_start(board, depth, &job));
    check(kmd_job_finish(job, &result));
    printf("%" PRIu64 " in the library\n", result.nodes);

    check(kmd_searcher_new(NULL, &searcher));
    check(kmd_search_start(searcher, board, &limits, &job));
    check(kmd_job_finish(job, &result));
    check(kmd_move_to_usi(result.best_move, usi, sizeof usi, &length));
    printf("best %.*s, %d, %" PRIu64 " nodes\n", (int)length, usi, (int)result.score, result.nodes);
    check(kmd_searcher_close(searcher));
    check(kmd_board_close(board));
    return 0;
}
