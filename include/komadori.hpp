/*
 * komadori.hpp - komadori.h for C++17: values, a move-only Board, exceptions. Header only; link the same library.
 *
 *     komadori::Board board;
 *     board.push("7g7f");
 *     for (komadori::Move m : board.legal_moves())
 *         std::cout << m.to_usi() << '\n';
 *
 * Numbers mean what komadori.h says. A function that fails throws Error, or the class derived from it that names the kind; a Board is unchanged
 * then. A moved-from Board holds nothing and may only be assigned to or destroyed; other calls throw HandleError. One Board serves one thread at a time.
 */
#ifndef KOMADORI_HPP
#define KOMADORI_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "komadori.h"

namespace komadori {

/* ------------------------------------------------------------------------------------------------------------ Failures */

/* A failed call with its details. */
class Error : public std::runtime_error {
public:
    Error(const kmd_error &details, kmd_status status)
        : std::runtime_error(details.kind == status && details.message[0] != 0 ? std::string(details.message)
                                                                                : "komadori: status " + std::to_string(status)),
          details_(details), status_(status)
    {
    }

    kmd_status status() const noexcept { return status_; }
    std::int64_t offset() const noexcept { return details_.offset; } /* byte offset in the input, or -1 */
    std::int64_t row() const noexcept { return details_.row; }       /* row of a batch, or -1 */
    std::vector<kmd_problem> problems() const { return {details_.problems, details_.problems + details_.problem_count}; }

private:
    kmd_error details_;
    kmd_status status_;
};

struct ParseError : Error { using Error::Error; };
struct IllegalMoveError : Error { using Error::Error; };
struct AmbiguousMoveError : IllegalMoveError { using IllegalMoveError::IllegalMoveError; }; /* words that fit several legal moves */
struct InvalidPositionError : Error { using Error::Error; };
struct InvalidValueError : Error { using Error::Error; };
struct HandleError : Error { using Error::Error; }; /* closed, busy, or of a process that has forked */
struct CancelledError : Error { using Error::Error; };

/* Throws when a status is a failure. The details are those of this thread's last failed call. */
inline void check(kmd_status status)
{
    if (status >= 0)
        return;
    kmd_error e{};
    e.size = sizeof e;
    kmd_last_error(&e);
    switch (status) {
    case KMD_ERR_PARSE: throw ParseError(e, status);
    case KMD_ERR_ILLEGAL_MOVE: throw IllegalMoveError(e, status);
    case KMD_ERR_AMBIGUOUS_MOVE: throw AmbiguousMoveError(e, status);
    case KMD_ERR_INVALID_POSITION: throw InvalidPositionError(e, status);
    case KMD_ERR_INVALID_VALUE: throw InvalidValueError(e, status);
    case KMD_ERR_HANDLE:
    case KMD_ERR_BUSY:
    case KMD_ERR_FORKED: throw HandleError(e, status);
    case KMD_ERR_CANCELLED: throw CancelledError(e, status);
    default: throw Error(e, status);
    }
}

namespace detail {

/* Asks a function of the form (buffer, capacity, &needed) for its text; a longer text is asked for once more. */
template <class F> std::string text_of(F &&f)
{
    std::string s(128, '\0');
    std::size_t needed = 0;
    kmd_status status = f(s.data(), s.size(), &needed);
    while (status == KMD_ERR_BUFFER && needed > s.size()) {
        s.resize(needed);
        status = f(s.data(), s.size(), &needed);
    }
    check(status);
    s.resize(needed);
    return s;
}

/* Throws once the library turns out to be of another version than this header. */
inline void same_version()
{
    static const bool same = kmd_abi_version() == KMD_ABI_VERSION;
    if (!same)
        throw std::runtime_error("komadori: the library has another ABI version than its header");
}

} // namespace detail

/* -------------------------------------------------------------------------------------------------------------- Values */

enum class Color : std::uint8_t { Black = 0, White = 1 };

constexpr Color opposite(Color c) noexcept { return c == Color::Black ? Color::White : Color::Black; }

enum class PieceType : std::uint8_t {
    None, Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight, ProSilver, Horse, Dragon
};

/* A piece on a square: its type, + 16 for White; 0 is empty. */
class Piece {
public:
    constexpr Piece() noexcept = default;
    constexpr explicit Piece(std::uint8_t raw) noexcept : raw_(raw) {}
    constexpr Piece(Color c, PieceType t) noexcept : raw_(static_cast<std::uint8_t>(static_cast<unsigned>(t) | static_cast<unsigned>(c) << 4)) {}

    constexpr std::uint8_t raw() const noexcept { return raw_; }
    constexpr bool empty() const noexcept { return raw_ == 0; }
    constexpr PieceType type() const noexcept { return static_cast<PieceType>(raw_ & 15); }
    constexpr Color color() const noexcept { return static_cast<Color>(raw_ >> 4 & 1); } /* Black when empty */

    friend constexpr bool operator==(Piece a, Piece b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Piece a, Piece b) noexcept { return a.raw_ != b.raw_; }

private:
    std::uint8_t raw_ = 0;
};

/* One of the 81 squares, 9*file + rank counted from 0, or none (81). */
class Square {
public:
    constexpr Square() noexcept = default;
    constexpr explicit Square(std::uint8_t raw) noexcept : raw_(raw < 81 ? raw : std::uint8_t{81}) {}
    constexpr Square(int file, int rank) noexcept /* 1..9 each */
        : raw_(file >= 1 && file <= 9 && rank >= 1 && rank <= 9 ? static_cast<std::uint8_t>(9 * (file - 1) + rank - 1) : std::uint8_t{81})
    {
    }

    constexpr std::uint8_t raw() const noexcept { return raw_; }
    constexpr bool on_board() const noexcept { return raw_ < 81; }
    constexpr int file() const noexcept { return on_board() ? raw_ / 9 + 1 : 0; } /* 1..9, 0 for none */
    constexpr int rank() const noexcept { return on_board() ? raw_ % 9 + 1 : 0; }

    friend constexpr bool operator==(Square a, Square b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Square a, Square b) noexcept { return a.raw_ != b.raw_; }

private:
    std::uint8_t raw_ = 81;
};

/* What one side holds, as komadori packs it. */
class Hand {
public:
    constexpr Hand() noexcept = default;
    constexpr explicit Hand(std::uint32_t raw) noexcept : raw_(raw) {}

    constexpr std::uint32_t raw() const noexcept { return raw_; }
    constexpr bool empty() const noexcept { return raw_ == 0; }
    constexpr int count(PieceType t) const noexcept
    {
        constexpr std::uint8_t shift[8] = {0, 0, 8, 12, 16, 20, 24, 28}, mask[8] = {0, 31, 7, 7, 7, 3, 3, 7};
        unsigned i = static_cast<unsigned>(t);
        return i < 8 ? static_cast<int>(raw_ >> shift[i] & mask[i]) : 0;
    }

    friend constexpr bool operator==(Hand a, Hand b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Hand a, Hand b) noexcept { return a.raw_ != b.raw_; }

private:
    std::uint32_t raw_ = 0;
};

/* A 16-bit move. It has no color. */
class Move {
public:
    constexpr Move() noexcept = default; /* no move */
    constexpr explicit Move(kmd_move raw) noexcept : raw_(raw) {}

    static Move from_usi(std::string_view text)
    {
        kmd_move m = 0;
        check(kmd_move_from_usi(text.data(), text.size(), &m));
        return Move(m);
    }
    static Move from_apery(kmd_apery apery)
    {
        kmd_move m = 0;
        check(kmd_move_from_apery(apery, &m));
        return Move(m);
    }

    std::string to_usi() const
    {
        return detail::text_of([this](char *b, std::size_t c, std::size_t *n) { return kmd_move_to_usi(raw_, b, c, n); });
    }
    kmd_apery to_apery() const
    {
        kmd_apery a = 0;
        check(kmd_move_to_apery(raw_, &a));
        return a;
    }
    /* Policy label for the side that makes the move: 0..2186, or 0..1495 when compact. */
    std::uint16_t label(Color turn, bool compact = false) const
    {
        std::uint16_t l = 0;
        check(kmd_move_label(raw_, static_cast<std::uint8_t>(turn), compact, &l));
        return l;
    }

    constexpr kmd_move raw() const noexcept { return raw_; }
    constexpr explicit operator bool() const noexcept { return raw_ != KMD_MOVE_NONE; }
    bool is_normal() const noexcept { return kmd_move_is_normal(raw_) == 1; }
    constexpr bool is_drop() const noexcept { return (raw_ >> 14 & 1) != 0; }
    constexpr bool is_promotion() const noexcept { return raw_ >> 15 != 0; }
    constexpr Square to() const noexcept { return Square(static_cast<std::uint8_t>(raw_ & 127)); }
    constexpr Square from() const noexcept { return is_drop() ? Square() : Square(static_cast<std::uint8_t>(raw_ >> 7 & 127)); }
    constexpr PieceType dropped_type() const noexcept
    {
        return is_drop() && (raw_ >> 7 & 127) < 8 ? static_cast<PieceType>(raw_ >> 7 & 7) : PieceType::None;
    }
    Move flip_side() const { return Move(kmd_move_flip_side(raw_)); }
    Move mirror_file() const { return Move(kmd_move_mirror_file(raw_)); }

    friend constexpr bool operator==(Move a, Move b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Move a, Move b) noexcept { return a.raw_ != b.raw_; }

private:
    kmd_move raw_ = KMD_MOVE_NONE;
};

/* Ways to write one move. */
enum class Style : std::int32_t {
    USI = KMD_STYLE_USI,
    CSA = KMD_STYLE_CSA,
    KIF = KMD_STYLE_KIF,
    KI2 = KMD_STYLE_KI2,
    Western = KMD_STYLE_WESTERN
};

/* The words of a move in KI2, such as ▲５八金右: equal values are displayed alike. Always a valid value. */
class Ki2Notation {
public:
    explicit Ki2Notation(kmd_ki2 raw) : raw_(raw)
    {
        if (kmd_ki2_is_valid(raw) != 1) {
            kmd_error e{};
            throw InvalidValueError(e, KMD_ERR_INVALID_VALUE);
        }
    }
    static Ki2Notation from_text(std::string_view text)
    {
        kmd_ki2 k = 0;
        check(kmd_ki2_from_text(text.data(), text.size(), &k));
        return Ki2Notation(k);
    }

    kmd_ki2 raw() const noexcept { return raw_; }
    std::string to_text() const
    {
        return detail::text_of([this](char *b, std::size_t c, std::size_t *n) { return kmd_ki2_to_text(raw_, b, c, n); });
    }
    Ki2Notation flip_side() const { return Ki2Notation(kmd_ki2_flip_side(raw_)); }
    Ki2Notation mirror_file() const { return Ki2Notation(kmd_ki2_mirror_file(raw_)); }

    friend bool operator==(Ki2Notation a, Ki2Notation b) noexcept { return a.raw_ == b.raw_; }
    friend bool operator!=(Ki2Notation a, Ki2Notation b) noexcept { return a.raw_ != b.raw_; }

private:
    kmd_ki2 raw_;
};

/* Sets of moves of the side to move. */
enum class MoveKind : std::int32_t {
    All = KMD_MOVES_ALL,
    PseudoLegal = KMD_MOVES_PSEUDO_LEGAL,
    Search = KMD_MOVES_SEARCH,
    Captures = KMD_MOVES_CAPTURES,
    Quiets = KMD_MOVES_QUIETS,
    Evasions = KMD_MOVES_EVASIONS,
    Checks = KMD_MOVES_CHECKS,
    Recaptures = KMD_MOVES_RECAPTURES,
    Drops = KMD_MOVES_DROPS,
    Tactical = KMD_MOVES_TACTICAL
};

/* Moves of a position, held in place: making one allocates nothing. */
class MoveList {
public:
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Move;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Move;

        constexpr explicit iterator(const kmd_move *p) noexcept : p_(p) {}
        constexpr Move operator*() const noexcept { return Move(*p_); }
        constexpr iterator &operator++() noexcept { ++p_; return *this; }
        constexpr iterator operator++(int) noexcept { iterator old = *this; ++p_; return old; }
        friend constexpr bool operator==(iterator a, iterator b) noexcept { return a.p_ == b.p_; }
        friend constexpr bool operator!=(iterator a, iterator b) noexcept { return a.p_ != b.p_; }

    private:
        const kmd_move *p_;
    };

    iterator begin() const noexcept { return iterator(moves_.data()); }
    iterator end() const noexcept { return iterator(moves_.data() + size_); }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    Move operator[](std::size_t i) const noexcept { return Move(moves_[i]); }
    bool contains(Move m) const noexcept
    {
        for (Move l : *this)
            if (l == m)
                return true;
        return false;
    }

private:
    friend class Board;
    std::array<kmd_move, KMD_MAX_LEGAL_MOVES> moves_;
    std::size_t size_ = 0;
};

/* A set of squares: 0..62 in words[0], 63..80 in words[1]. */
struct SquareSet {
    std::uint64_t words[2] = {0, 0};

    bool test(Square sq) const noexcept
    {
        unsigned i = sq.raw();
        return i < 63 ? (words[0] >> i & 1) != 0 : i < 81 && (words[1] >> (i - 63) & 1) != 0;
    }
    std::vector<Square> squares() const
    {
        std::vector<Square> out;
        for (std::uint8_t i = 0; i < 81; i++)
            if (test(Square(i)))
                out.push_back(Square(i));
        return out;
    }
};

/* The rules of a profile: JSA, CSA, FLOODGATE, DLSHOGI. ParseError for other names. */
inline kmd_rules rules_profile(std::string_view name)
{
    kmd_rules r{};
    r.size = sizeof r;
    check(kmd_rules_profile(name.data(), name.size(), &r));
    return r;
}

using Packed = std::array<std::uint8_t, 32>; /* HCP or PackedSfen of a position */

/* -------------------------------------------------------------------------------------------------------------- Setups */

/* What White gives (手合割); left and right are White's own. */
enum class Handicap : std::int32_t {
    Even = KMD_HANDICAP_EVEN, Lance = KMD_HANDICAP_LANCE, RightLance = KMD_HANDICAP_RIGHT_LANCE, Bishop = KMD_HANDICAP_BISHOP, Rook = KMD_HANDICAP_ROOK,
    RookLance = KMD_HANDICAP_ROOK_LANCE, TwoPiece = KMD_HANDICAP_TWO_PIECE, ThreePiece = KMD_HANDICAP_THREE_PIECE, FourPiece = KMD_HANDICAP_FOUR_PIECE,
    FivePiece = KMD_HANDICAP_FIVE_PIECE, LeftFivePiece = KMD_HANDICAP_LEFT_FIVE_PIECE, SixPiece = KMD_HANDICAP_SIX_PIECE,
    LeftSevenPiece = KMD_HANDICAP_LEFT_SEVEN_PIECE, RightSevenPiece = KMD_HANDICAP_RIGHT_SEVEN_PIECE, EightPiece = KMD_HANDICAP_EIGHT_PIECE,
    TenPiece = KMD_HANDICAP_TEN_PIECE, Other = KMD_HANDICAP_OTHER
};

/* Reads a name in Japanese or English. */
inline Handicap handicap_from_name(std::string_view name)
{
    std::int32_t h = 0;
    check(kmd_handicap_from_name(name.data(), name.size(), &h));
    return static_cast<Handicap>(h);
}
inline std::string to_string(Handicap h, bool japanese = false)
{
    return detail::text_of([=](char *b, std::size_t c, std::size_t *n) { return kmd_handicap_name(static_cast<std::int32_t>(h), japanese, b, c, n); });
}

enum class Text : std::int32_t {
    SFEN = KMD_TEXT_SFEN, CSA = KMD_TEXT_CSA, BOD = KMD_TEXT_BOD, Plain = KMD_TEXT_PLAIN, SFENWithoutPly = KMD_TEXT_SFEN_WITHOUT_PLY
};

/* A board, two hands, a side to move and a ply that can be changed at will, legal or not: anything that a diagram shows. A plain value. */
class Setup {
public:
    Setup() noexcept /* an empty board, Black to move, ply 1 */
    {
        setup_.size = sizeof setup_;
        setup_.ply = 1;
    }
    explicit Setup(const kmd_setup &raw) noexcept : setup_(raw) {}
    explicit Setup(Handicap h) : Setup() { check(kmd_setup_handicap(static_cast<std::int32_t>(h), &setup_)); }
    explicit Setup(std::string_view text, Text form = Text::SFEN) : Setup()
    {
        check(kmd_setup_from_text(static_cast<std::int32_t>(form), text.data(), text.size(), &setup_));
    }

    const kmd_setup &raw() const noexcept { return setup_; }
    Piece piece_at(Square sq) const noexcept { return Piece(sq.on_board() ? setup_.board[sq.raw()] : std::uint8_t(0)); }
    void put(Square sq, Piece p) noexcept /* in place of what stands there; nothing happens off the board */
    {
        if (sq.on_board())
            setup_.board[sq.raw()] = p.raw();
    }
    int hand(Color c, PieceType t) const noexcept { return is_held(t) ? setup_.hands[side(c)][static_cast<unsigned>(t) - 1] : 0; }
    void set_hand(Color c, PieceType t, std::uint8_t n) noexcept /* nothing happens with kinds that cannot be in hand */
    {
        if (is_held(t))
            setup_.hands[side(c)][static_cast<unsigned>(t) - 1] = n;
    }
    Color turn() const noexcept { return static_cast<Color>(setup_.turn & 1); }
    void set_turn(Color c) noexcept { setup_.turn = static_cast<std::uint8_t>(c); }
    int ply() const noexcept { return setup_.ply; }
    void set_ply(std::int32_t ply) noexcept { setup_.ply = ply; }

    std::vector<kmd_problem> problems() const /* all that is wrong or odd */
    {
        std::vector<kmd_problem> found(KMD_MAX_PROBLEMS);
        std::size_t n = 0;
        check(kmd_setup_problems(&setup_, found.data(), found.size(), &n));
        found.resize(n);
        return found;
    }
    std::array<std::uint8_t, 8> box() const /* men neither on the board nor in a hand, P L N S B R G K */
    {
        std::array<std::uint8_t, 8> counts{};
        check(kmd_setup_box(&setup_, counts.data()));
        return counts;
    }
    void give_box(Color c) { check(kmd_setup_give_box(&setup_, static_cast<std::uint8_t>(c))); }
    Setup flip_side() const { return derive(kmd_setup_flip_side); }
    Setup mirror_file() const { return derive(kmd_setup_mirror_file); }
    Handicap handicap() const
    {
        std::int32_t h = 0;
        check(kmd_setup_to_handicap(&setup_, &h));
        return static_cast<Handicap>(h);
    }
    std::string to_text(Text form = Text::SFEN) const
    {
        return detail::text_of([this, form](char *b, std::size_t c, std::size_t *n) { return kmd_setup_to_text(&setup_, static_cast<std::int32_t>(form), b, c, n); });
    }

private:
    static constexpr unsigned side(Color c) noexcept { return static_cast<unsigned>(c) & 1; }
    static constexpr bool is_held(PieceType t) noexcept { return t >= PieceType::Pawn && t <= PieceType::Gold; }
    Setup derive(kmd_status (*f)(const kmd_setup *, kmd_setup *)) const
    {
        Setup out;
        check(f(&setup_, &out.setup_));
        return out;
    }

    kmd_setup setup_{};
};

/* -------------------------------------------------------------------------------------------------------------- Boards */

/* A position with its history. Move-only: copy() says when a copy is wanted. */
class Board {
public:
    Board() : Board(make([](kmd_board *b) { return kmd_board_new(b); })) {}
    explicit Board(std::string_view sfen) : Board(make([&](kmd_board *b) { return kmd_board_from_sfen(sfen.data(), sfen.size(), b); })) {}

    static Board from_sfen(std::string_view text) { return Board(text); }
    static Board from_position(std::string_view text) /* position line of USI, with moves */
    {
        return make([&](kmd_board *b) { return kmd_board_from_position(text.data(), text.size(), b); });
    }
    static Board from_setup(const kmd_setup &setup)
    {
        return make([&](kmd_board *b) { return kmd_board_from_setup(&setup, b); });
    }
    static Board from_setup(const Setup &setup) { return from_setup(setup.raw()); }
    static Board handicap(Handicap h) { return from_setup(Setup(h)); }
    static Board handicap(std::string_view name) { return handicap(handicap_from_name(name)); }
    static Board from_hcp(const Packed &bytes)
    {
        return make([&](kmd_board *b) { return kmd_board_from_hcp(bytes.data(), b); });
    }
    static Board from_packed_sfen(const Packed &bytes)
    {
        return make([&](kmd_board *b) { return kmd_board_from_packed_sfen(bytes.data(), b); });
    }

    Board(const Board &) = delete;
    Board &operator=(const Board &) = delete;
    Board(Board &&other) noexcept : handle_(std::exchange(other.handle_, 0)), view_(std::exchange(other.view_, nullptr)) {}
    Board &operator=(Board &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        std::swap(view_, other.view_);
        return *this;
    }
    ~Board() { kmd_board_close(handle_); }

    Board copy() const
    {
        return make([this](kmd_board *b) { return kmd_board_copy(handle_, b); });
    }
    Board flip_side() const
    {
        return make([this](kmd_board *b) { return kmd_board_flip_side(handle_, b); });
    }
    Board mirror_file() const
    {
        return make([this](kmd_board *b) { return kmd_board_mirror_file(handle_, b); });
    }

    kmd_board handle() const noexcept { return handle_; }

    /* What the board is, read from published memory without a call. */
    Color turn() const { return static_cast<Color>(view().turn); }
    int ply() const { return view().ply; }
    int history_length() const { return view().moves; }
    bool in_check() const { return view().in_check != 0; }
    std::uint64_t key() const { return view().key; }
    Move last_move() const { return Move(view().last_move); } /* none at the start of the history */
    Piece piece_at(Square sq) const { return Piece(view().pieces[sq.raw()]); } /* sq is at most 81, where nothing stands */
    Hand hand(Color c) const { return Hand(view().hands[static_cast<unsigned>(c) & 1]); }
    Square king(Color c) const { return Square(view().kings[static_cast<unsigned>(c) & 1]); }

    void push(Move m) { check(kmd_board_push(handle_, m.raw())); }
    void push(std::string_view usi) { push(Move::from_usi(usi)); }
    void push_null() { check(kmd_board_push_null(handle_)); }
    Move pop()
    {
        kmd_move m = 0;
        check(kmd_board_pop(handle_, &m));
        return Move(m);
    }
    void set_sfen(std::string_view text) { check(kmd_board_set_sfen(handle_, text.data(), text.size())); }

    MoveList legal_moves() const
    {
        MoveList l;
        std::int32_t n = kmd_board_list(handle_, l.moves_.data());
        check(n);
        l.size_ = static_cast<std::size_t>(n);
        return l;
    }
    std::vector<Move> moves() const /* from the start of the history on */
    {
        std::size_t n = 0;
        std::vector<kmd_move> raw(static_cast<std::size_t>(history_length()));
        check(kmd_board_moves(handle_, raw.data(), raw.size(), &n));
        std::vector<Move> out;
        out.reserve(n);
        for (kmd_move m : raw)
            out.push_back(Move(m));
        return out;
    }
    bool is_legal(Move m) const { return ask([&](std::int32_t *x) { return kmd_board_is_legal(handle_, m.raw(), x); }) == 1; }
    bool gives_check(Move m) const { return ask([&](std::int32_t *x) { return kmd_board_gives_check(handle_, m.raw(), x); }) == 1; }
    bool is_checkmate() const { return ask([&](std::int32_t *x) { return kmd_board_is_checkmate(handle_, x); }) == 1; }
    bool is_repetition(int count = 4) const { return ask([&](std::int32_t *x) { return kmd_board_is_repetition(handle_, count, x); }) == 1; }
    int repetition() const { return ask([&](std::int32_t *x) { return kmd_board_repetition(handle_, x); }); } /* KMD_REPETITION_... */
    int search_repetition(int max_ply) const /* likewise */
    {
        return ask([&](std::int32_t *x) { return kmd_board_search_repetition(handle_, max_ply, x); });
    }
    kmd_declaration declaration(int rule) const /* KMD_RULE_... */
    {
        kmd_declaration d{};
        d.size = sizeof d;
        check(kmd_board_declaration(handle_, rule, &d));
        return d;
    }
    kmd_outcome outcome(const kmd_rules &rules, int declare = KMD_DECLARE_TO_WIN) const
    {
        kmd_outcome o{};
        o.size = sizeof o;
        check(kmd_board_outcome(handle_, &rules, declare, &o));
        return o;
    }
    bool is_game_over(const kmd_rules &rules, int declare = KMD_DECLARE_TO_WIN) const { return outcome(rules, declare).reason != KMD_REASON_NONE; }
    Move mate_in_one() const /* Move() without one */
    {
        kmd_move m = 0;
        check(kmd_board_mate_in_one(handle_, &m));
        return Move(m);
    }
    std::vector<Move> mates_in_one() const
    {
        kmd_move all[KMD_MAX_LEGAL_MOVES];
        std::size_t n = 0;
        check(kmd_board_mates_in_one(handle_, all, KMD_MAX_LEGAL_MOVES, &n));
        return std::vector<Move>(all, all + n);
    }
    Move move_of_label(std::uint16_t label, bool compact = false) const
    {
        kmd_move m = 0;
        check(kmd_board_move_of_label(handle_, label, compact, &m));
        return Move(m);
    }
    /* Words of a legal move, and the legal move that words mean; the history tells what 同 is. */
    std::string format_move(Move m, Style style) const
    {
        return detail::text_of([&](char *b, std::size_t c, std::size_t *n) {
            return kmd_board_format_move(handle_, static_cast<std::int32_t>(style), m.raw(), b, c, n);
        });
    }
    Move parse_move(std::string_view text, Style style) const
    {
        kmd_move m = 0;
        check(kmd_board_parse_move(handle_, static_cast<std::int32_t>(style), text.data(), text.size(), &m));
        return Move(m);
    }
    Ki2Notation ki2_notation(Move m) const
    {
        kmd_ki2 k = 0;
        check(kmd_board_ki2(handle_, KMD_PREVIOUS_OF_HISTORY, m.raw(), &k));
        return Ki2Notation(k);
    }
    Move resolve(Ki2Notation k) const
    {
        kmd_move m = 0;
        check(kmd_board_resolve_ki2(handle_, KMD_PREVIOUS_OF_HISTORY, k.raw(), &m));
        return Move(m);
    }
    kmd_move32 complete(kmd_move32 m) const
    {
        kmd_move32 full = 0;
        check(kmd_board_complete_move32(handle_, m, &full));
        return full;
    }

    /* Moves of a kind; the square is that of recaptures. generate_stage lists a part: moves that take, other moves on the board, drops. */
    MoveList generate(MoveKind kind, Square sq = Square()) const
    {
        MoveList l;
        std::int32_t n = kmd_quick_generate(handle_, static_cast<std::int32_t>(kind), sq.raw(), KMD_ALL_STAGES, l.moves_.data());
        check(n);
        l.size_ = static_cast<std::size_t>(n);
        return l;
    }
    MoveList generate_stage(MoveKind kind, int stage, Square sq = Square()) const
    {
        MoveList l;
        check(kmd_board_generate_stage(handle_, static_cast<std::int32_t>(kind), sq.raw(), stage, l.moves_.data(), l.moves_.size(), &l.size_));
        return l;
    }

    SquareSet attackers_to(Square sq, Color c) const { return set([&](std::uint64_t *w) { return kmd_board_attackers_to(handle_, sq.raw(), raw(c), w); }); }
    SquareSet attacks_by(Square sq) const { return set([&](std::uint64_t *w) { return kmd_board_attacks_by(handle_, sq.raw(), w); }); }
    SquareSet attacked_by(Color c) const { return set([&](std::uint64_t *w) { return kmd_board_attacked_by(handle_, raw(c), w); }); }
    SquareSet checkers() const { return set([&](std::uint64_t *w) { return kmd_board_checkers(handle_, w); }); }
    SquareSet blockers(Color c) const { return set([&](std::uint64_t *w) { return kmd_board_blockers(handle_, raw(c), w); }); }
    SquareSet pinned(Color c) const { return set([&](std::uint64_t *w) { return kmd_board_pinned(handle_, raw(c), w); }); }
    SquareSet discoverers() const { return set([&](std::uint64_t *w) { return kmd_board_discoverers(handle_, w); }); }
    SquareSet check_squares(PieceType t) const
    {
        return set([&](std::uint64_t *w) { return kmd_board_check_squares(handle_, static_cast<std::uint8_t>(t), w); });
    }
    bool is_attacked(Square sq, Color c) const
    {
        return ask([&](std::int32_t *x) { return kmd_board_is_attacked(handle_, sq.raw(), raw(c), x); }) == 1;
    }
    int see(Move m) const { return ask([&](std::int32_t *x) { return kmd_board_see(handle_, m.raw(), x); }); }

    /* How many pieces of a color attack each square, by color and square; by kind with index 0 for all; and how far the piece on each square can go. */
    std::array<std::array<std::uint8_t, 81>, 2> attack_counts(bool xray = false) const
    {
        std::uint8_t raw[2][81];
        check(kmd_board_attack_counts(handle_, xray, raw));
        std::array<std::array<std::uint8_t, 81>, 2> counts{};
        for (std::size_t c = 0; c < 2; c++)
            std::copy_n(raw[c], 81, counts[c].begin());
        return counts;
    }
    std::array<std::array<std::array<std::uint8_t, 81>, 15>, 2> attack_counts_by_kind(bool xray = false) const
    {
        std::uint8_t raw[2][15][81];
        check(kmd_board_attack_counts_by_kind(handle_, xray, raw));
        std::array<std::array<std::array<std::uint8_t, 81>, 15>, 2> counts{};
        for (std::size_t c = 0; c < 2; c++)
            for (std::size_t t = 0; t < 15; t++)
                std::copy_n(raw[c][t], 81, counts[c][t].begin());
        return counts;
    }
    std::array<std::uint8_t, 81> mobility() const
    {
        std::array<std::uint8_t, 81> counts{};
        check(kmd_board_mobility(handle_, counts.data()));
        return counts;
    }

    /* Parts of the key, and a longer one whose word 0 is key(). */
    std::uint64_t board_key() const { return number([&](std::uint64_t *x) { return kmd_board_keys(handle_, nullptr, x, nullptr); }); }
    std::uint64_t hand_key() const { return number([&](std::uint64_t *x) { return kmd_board_keys(handle_, nullptr, nullptr, x); }); }
    std::uint64_t pawn_key() const { return number([&](std::uint64_t *x) { return kmd_board_pawn_key(handle_, x); }); }
    std::uint64_t material_key() const { return number([&](std::uint64_t *x) { return kmd_board_material_key(handle_, x); }); }
    std::array<std::uint64_t, 2> key128() const
    {
        std::array<std::uint64_t, 2> words{};
        check(kmd_board_key128(handle_, words.data()));
        return words;
    }

    std::string to_sfen() const
    {
        return detail::text_of([this](char *b, std::size_t c, std::size_t *n) { return kmd_board_to_sfen(handle_, b, c, n); });
    }
    Setup setup() const
    {
        kmd_setup s{};
        s.size = sizeof s;
        check(kmd_board_get_setup(handle_, &s));
        return Setup(s);
    }
    std::string to_text(Text form) const
    {
        return detail::text_of([this, form](char *b, std::size_t c, std::size_t *n) {
            return kmd_board_to_text(handle_, static_cast<std::int32_t>(form), b, c, n);
        });
    }
    std::string to_position() const
    {
        return detail::text_of([this](char *b, std::size_t c, std::size_t *n) { return kmd_board_to_position(handle_, b, c, n); });
    }
    Packed to_hcp() const
    {
        Packed p{};
        check(kmd_board_to_hcp(handle_, p.data()));
        return p;
    }
    Packed to_packed_sfen() const
    {
        Packed p{};
        check(kmd_board_to_packed_sfen(handle_, p.data()));
        return p;
    }

private:
    Board(kmd_board handle, const kmd_board_view *view) noexcept : handle_(handle), view_(view) {}

    static constexpr std::uint8_t raw(Color c) noexcept { return static_cast<std::uint8_t>(c); }
    template <class F> static SquareSet set(F &&f)
    {
        SquareSet s;
        check(f(s.words));
        return s;
    }

    template <class F> static Board make(F &&f)
    {
        detail::same_version();
        Board b(0, nullptr);
        check(f(&b.handle_));
        check(kmd_board_get_view(b.handle_, &b.view_)); /* b closes the handle should this fail */
        return b;
    }
    template <class F> static std::int32_t ask(F &&f)
    {
        std::int32_t x = 0;
        check(f(&x));
        return x;
    }
    template <class F> static std::uint64_t number(F &&f)
    {
        std::uint64_t x = 0;
        check(f(&x));
        return x;
    }
    const kmd_board_view &view() const
    {
        if (view_ == nullptr) {
            kmd_error e{};
            e.kind = KMD_ERR_HANDLE;
            throw HandleError(e, KMD_ERR_HANDLE);
        }
        return *view_;
    }

    kmd_board handle_ = 0;
    const kmd_board_view *view_ = nullptr;
};

/* ---------------------------------------------------------------------------------------------------------------- Jobs */

/* A job in the background: perft, search or mate search. The destructor stops it. */
class Job {
public:
    explicit Job(kmd_job handle) noexcept : handle_(handle) {}
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;
    Job(Job &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    Job &operator=(Job &&other) noexcept { std::swap(handle_, other.handle_); return *this; }
    ~Job()
    {
        if (handle_ != 0) {
            kmd_job_cancel(handle_);
            kmd_job_finish(handle_, nullptr);
        }
    }

    /* True once the job is done; waits at most so long (up to a second). */
    bool wait(std::chrono::milliseconds timeout)
    {
        kmd_status s = kmd_job_wait(handle_, static_cast<std::int32_t>(timeout.count() < 0 ? 0 : timeout.count() > 1000 ? 1000 : timeout.count()));
        if (s != KMD_ERR_BUSY)
            check(s);
        return s != KMD_ERR_BUSY;
    }
    void cancel() { check(kmd_job_cancel(handle_)); }
    kmd_result poll() const
    {
        kmd_result r = empty();
        check(kmd_job_poll(handle_, &r));
        return r;
    }
    /* Of a mate search that is done, before finish(): the whole line, and all first moves that keep its length. */
    std::vector<Move> mate_moves() const { return moves_by(kmd_mate_moves); }
    std::vector<Move> first_moves() const { return moves_by(kmd_mate_first_moves); }
    /* Of a search: what it has found since the last call, every line of every iteration; each is given once. */
    std::vector<kmd_info> infos()
    {
        std::vector<kmd_info> all;
        for (std::size_t n = 0, room = 16;; room *= 2) {
            std::size_t from = all.size();
            all.resize(from + room);
            check(kmd_search_infos(handle_, all.data() + from, room, &n));
            all.resize(from + n);
            if (n < room)
                return all;
        }
    }
    /* Of a search: the best lines as they stand, best first. */
    std::vector<kmd_info> lines() const
    {
        std::vector<kmd_info> all(8);
        for (std::size_t n = 0;;) {
            kmd_status s = kmd_search_lines(handle_, all.data(), all.size(), &n);
            bool fits = n <= all.size();
            all.resize(n);
            if (fits) {
                check(s);
                return all;
            }
        }
    }
    /* Of a pondering search: the opponent has made the move. */
    void ponderhit() { check(kmd_search_ponderhit(handle_)); }
    /* Waits, gives the result and ends the job. A cancelled job gives what it has; *cancelled, if given, tells. */
    kmd_result finish(bool *cancelled = nullptr)
    {
        kmd_result r = empty();
        kmd_status s = kmd_job_finish(std::exchange(handle_, 0), &r);
        if (cancelled != nullptr)
            *cancelled = s == KMD_ERR_CANCELLED;
        if (s != KMD_ERR_CANCELLED)
            check(s);
        return r;
    }

private:
    std::vector<Move> moves_by(kmd_status (*ask)(kmd_job, kmd_move *, std::size_t, std::size_t *)) const
    {
        std::vector<kmd_move> all(KMD_MAX_MATE_PLIES);
        std::size_t n = 0;
        check(ask(handle_, all.data(), all.size(), &n));
        return std::vector<Move>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    }
    static kmd_result empty() noexcept
    {
        kmd_result r{};
        r.size = sizeof r;
        return r;
    }
    kmd_job handle_;
};

/* Counts the positions after depth legal moves. */
inline std::uint64_t perft(const Board &board, int depth)
{
    kmd_job job = 0;
    check(kmd_perft_start(board.handle(), depth, &job));
    return Job(job).finish().nodes;
}

/* Limits of a mate search, ready to be filled in; as they are, the usual ones. */
inline kmd_mate_limits mate_limits() noexcept
{
    kmd_mate_limits l{};
    l.size = sizeof l;
    return l;
}

/* Starts a search for a forced mate by the side to move. */
inline Job start_mate(const Board &board, const kmd_mate_limits &limits = mate_limits())
{
    kmd_job job = 0;
    check(kmd_mate_start(board.handle(), &limits, &job));
    return Job(job);
}

/* Limits of a search, ready to be filled in; at least one must be. */
inline kmd_search_limits limits() noexcept
{
    kmd_search_limits l{};
    l.size = sizeof l;
    return l;
}

/* Options of a search, ready to be filled in; as they are, the usual ones. */
inline kmd_search_options search_options(int threads = 1, int hash_mb = 64) noexcept
{
    kmd_search_options o{};
    o.size = sizeof o;
    o.threads = threads;
    o.hash_mb = hash_mb;
    return o;
}

/* An alpha-beta engine with its transposition table. */
class Searcher {
public:
    explicit Searcher(int threads = 1, int hash_mb = 64) : Searcher(search_options(threads, hash_mb)) {}
    explicit Searcher(const kmd_search_options &options)
    {
        detail::same_version();
        check(kmd_searcher_new(&options, &handle_));
    }
    Searcher(const Searcher &) = delete;
    Searcher &operator=(const Searcher &) = delete;
    Searcher(Searcher &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    Searcher &operator=(Searcher &&other) noexcept { std::swap(handle_, other.handle_); return *this; }
    ~Searcher() { kmd_searcher_close(handle_); }

    kmd_searcher handle() const noexcept { return handle_; }
    void clear() { check(kmd_searcher_clear(handle_)); }
    Job start(const Board &board, const kmd_search_limits &l)
    {
        kmd_job job = 0;
        check(kmd_search_start(handle_, board.handle(), &l, &job));
        return Job(job);
    }
    kmd_result search(const Board &board, const kmd_search_limits &l) { return start(board, l).finish(); }

private:
    kmd_searcher handle_ = 0;
};

/* --------------------------------------------------------------------------------------------------------------- Books */

/* An opening book: YaneuraOu's DB2016, or Apery's where the name ends in .bin. */
class Book {
public:
    explicit Book(std::string_view path, bool ignore_ply = true, bool flip = true)
    {
        detail::same_version();
        check(kmd_book_open(path.data(), path.size(), ignore_ply, flip, &handle_));
    }
    Book(const Book &) = delete;
    Book &operator=(const Book &) = delete;
    Book(Book &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    Book &operator=(Book &&other) noexcept { std::swap(handle_, other.handle_); return *this; }
    ~Book() { kmd_book_close(handle_); }

    kmd_book handle() const noexcept { return handle_; }
    /* The legal moves that the book has for a position, in its order. */
    std::vector<kmd_book_move> lookup(const Board &board) const
    {
        std::vector<kmd_book_move> moves(KMD_MAX_LEGAL_MOVES);
        std::size_t n = 0;
        check(kmd_book_lookup(handle_, board.handle(), moves.data(), moves.size(), &n));
        moves.resize(n);
        return moves;
    }

private:
    kmd_book handle_ = 0;
};

/* ------------------------------------------------------------------------------------------------------------- Batches */

/* Records or packed positions that follow each other in memory the caller keeps. */
inline kmd_rows rows(int format, const std::uint8_t *data, std::size_t n, int threads = 0) noexcept
{
    kmd_rows r{};
    r.size = sizeof r;
    r.format = format;
    r.data = data;
    r.n = n;
    r.threads = threads;
    return r;
}

/* What to make of records: all outputs null, to be filled in. */
inline kmd_decode decode() noexcept
{
    kmd_decode d{};
    d.size = sizeof d;
    d.features2_planes = 57;
    d.label_bytes = 8;
    d.temperature = 1;
    return d;
}

/* Rows to be made in another format, at out. */
inline kmd_conversion conversion(int format, std::uint8_t *out) noexcept
{
    kmd_conversion c{};
    c.size = sizeof c;
    c.format = format;
    c.out = out;
    return c;
}

/* What to find out of positions: all outputs null, to be filled in. */
inline kmd_facts facts() noexcept
{
    kmd_facts f{};
    f.size = sizeof f;
    return f;
}

/* Planes by name: "pieces", "hands.own check". */
inline std::vector<std::uint16_t> planes(std::string_view names)
{
    std::vector<std::uint16_t> found(KMD_MAX_STACK);
    std::size_t count = 0;
    check(kmd_planes_parse(names.data(), names.size(), found.data(), found.size(), &count));
    found.resize(count);
    return found;
}

} // namespace komadori

#endif
