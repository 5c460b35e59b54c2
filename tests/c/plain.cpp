// komadori.hpp without exceptions: failures are results.
#include <komadori.hpp>

#include <cstdio>

using namespace komadori;

int main()
{
    Board board;
    auto bad = Board::try_from_sfen("54/9 b");
    bool good = !bad && bad.status() == KMD_ERR_PARSE && !bad.failure().message().empty();
    good = good && board.try_push("7g7f") && !board.try_push("7g7f") && board.try_pop().value() == Move::from_usi("7g7f") && !board.try_pop();
    good = good && perft(board, 2) == 900 && board.legal_moves().size() == 30;
    std::printf("%-8s %s\n", "plain", good ? "C++ without exceptions" : "failed");
    return good ? 0 : 1;
}
