/* What calls cost in C: calls */
#include "calls.h"

#include <komadori.h>
#include <stdlib.h>

extern int32_t empty_call(int32_t);

static int64_t sink;

int main(void)
{
    kmd_board board;
    kmd_move moves[KMD_MAX_LEGAL_MOVES], m;
    int32_t n = 0;
    if (kmd_board_new(&board) != KMD_OK)
        return 1;
    kmd_move_from_usi("7g7f", 4, &m);
    for (int round = 0; round < ROUNDS; round++) {
        MEASURE(0, "empty cgo export", 20000, sink += empty_call(i));
        MEASURE(1, "kmd_alive (C alone)", 20000, sink += kmd_alive());
        MEASURE(2, "kmd_square_flip_side", 20000, sink += kmd_square_flip_side((uint8_t)(i % 81)));
        MEASURE(3, "kmd_threads", 20000, sink += kmd_threads(&n));
        MEASURE(4, "kmd_quick_is_legal", 10000, sink += kmd_quick_is_legal(board, m));
        MEASURE(5, "kmd_board_list", 5000, sink += kmd_board_list(board, moves));
        MEASURE(6, "push, pop", 5000, sink += kmd_board_push(board, m) + kmd_board_pop(board, NULL));
        MEASURE(7, "push unchecked, pop", 5000, sink += kmd_board_push_unchecked(board, m) + kmd_board_pop(board, NULL));
    }
    print_kinds("C");
    return sink == 1;
}
