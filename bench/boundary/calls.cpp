// What the same calls cost in C++: calls++
#include "calls.h"

#include <komadori.hpp>

static std::int64_t sink;

int main()
{
    komadori::Board board;
    const komadori::Move m = komadori::Move::from_usi("7g7f");
    kmd_board raw = board.handle();
    kmd_move list[KMD_MAX_LEGAL_MOVES];
    for (int round = 0; round < ROUNDS; round++) {
        MEASURE(0, "kmd_board_list, sum of moves", 5000, {
            std::int32_t n = kmd_board_list(raw, list);
            for (std::int32_t k = 0; k < n; k++)
                sink += list[k];
        });
        MEASURE(1, "legal_moves(), sum of moves", 5000, for (komadori::Move x : board.legal_moves()) sink += x.raw());
        MEASURE(2, "kmd_board_push, kmd_board_pop", 5000, sink += kmd_board_push(raw, m.raw()) + kmd_board_pop(raw, nullptr));
        MEASURE(3, "push(), pop()", 5000, board.push(m); board.pop());
        MEASURE(4, "try_push(), pop()", 5000, sink += board.try_push(m); board.pop());
    }
    print_kinds("C++");
    return sink == 1;
}
