// Counts positions and looks for the best move, in C++17: perft [DEPTH [SFEN]]
#include <komadori.hpp>

#include <cstdlib>
#include <iostream>

using namespace komadori;

static std::uint64_t count(Board &board, int depth)
{
    const MoveList moves = board.legal_moves();
    if (depth == 1)
        return moves.size();
    std::uint64_t nodes = 0;
    for (Move m : moves) {
        board.push(m);
        nodes += count(board, depth - 1);
        board.pop();
    }
    return nodes;
}

int main(int argc, char **argv)
try {
    const int depth = argc > 1 ? std::atoi(argv[1]) : 3;
    Board board = argc > 2 ? Board(argv[2]) : Board();
    std::cout << "perft " << depth << ": " << count(board, depth) << " move by move, " << perft(board, depth) << " in the library\n";

    kmd_search_limits limit = limits();
    limit.depth = 6;
    const kmd_result best = Searcher().search(board, limit);
    std::cout << "best " << Move(best.best_move).to_usi() << ", " << best.score << ", " << best.nodes << " nodes\n";
} catch (const Error &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
