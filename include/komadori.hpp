/*
 * komadori.hpp - komadori.h for C++17: values with constexpr arithmetic, move-only handles, spans, exceptions or results. Header only; link the same library.
 *
 *     komadori::Board board;
 *     board.push("7g7f");
 *     for (komadori::Move m : board.legal_moves())
 *         std::cout << m.to_usi() << '\n';
 *
 * Numbers mean what komadori.h says. A function that fails throws Error, or the class derived from it that names the kind; a Board is unchanged
 * then. Functions whose names begin with try_ throw nothing and give a Result instead, and result_of() makes one of any other call:
 *
 *     if (auto board = komadori::Board::try_from_sfen(text)) use(*board);
 *     else std::cerr << board.failure().message();
 *
 * The header also compiles without exceptions (-fno-exceptions); a failure that nobody asks for as a Result then ends the program with its message.
 * A moved-from Board holds nothing and may only be assigned to or destroyed; other calls fail with KMD_ERR_HANDLE. One Board serves one thread at a time.
 */
#ifndef KOMADORI_HPP
#define KOMADORI_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "komadori.h"

namespace komadori {

/* ------------------------------------------------------------------------------------------------------------ Failures */

/* What a call that failed says: its status, a line of text, and where. */
class Failure {
public:
    Failure() noexcept = default;
    Failure(kmd_status status, const kmd_error &details) : status_(status), offset_(-1), row_(-1)
    {
        if (details.kind != status || details.message[0] == 0) {
            message_ = "komadori: status " + std::to_string(status);
            return;
        }
        message_ = details.message;
        offset_ = details.offset;
        row_ = details.row;
        errno_ = details.errno_value;
        problems_.assign(details.problems, details.problems + std::min<std::size_t>(details.problem_count, KMD_MAX_PROBLEMS));
    }

    kmd_status status() const noexcept { return status_; }
    const std::string &message() const noexcept { return message_; }
    std::int64_t offset() const noexcept { return offset_; } /* byte offset in the input, or -1 */
    std::int64_t row() const noexcept { return row_; }       /* row of a batch, or -1 */
    int error_number() const noexcept { return errno_; }     /* errno of KMD_ERR_IO, else 0 */
    const std::vector<kmd_problem> &problems() const noexcept { return problems_; }

private:
    kmd_status status_ = KMD_OK;
    std::string message_;
    std::int64_t offset_ = -1, row_ = -1;
    int errno_ = 0;
    std::vector<kmd_problem> problems_;
};

/* A failed call as an exception. */
class Error : public std::runtime_error {
public:
    explicit Error(Failure failure) : std::runtime_error(failure.message()), failure_(std::move(failure)) {}
    Error(const kmd_error &details, kmd_status status) : Error(Failure(status, details)) {}

    const Failure &failure() const noexcept { return failure_; }
    kmd_status status() const noexcept { return failure_.status(); }
    std::int64_t offset() const noexcept { return failure_.offset(); }
    std::int64_t row() const noexcept { return failure_.row(); }
    const std::vector<kmd_problem> &problems() const noexcept { return failure_.problems(); }

private:
    Failure failure_;
};

struct ParseError : Error { using Error::Error; };
struct IllegalMoveError : Error { using Error::Error; };
struct AmbiguousMoveError : IllegalMoveError { using IllegalMoveError::IllegalMoveError; }; /* words that fit several legal moves */
struct InvalidPositionError : Error { using Error::Error; };
struct InvalidValueError : Error { using Error::Error; };
struct HandleError : Error { using Error::Error; }; /* closed, busy, or of a process that has forked */
struct CancelledError : Error { using Error::Error; };

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define KOMADORI_EXCEPTIONS 1
#else
#define KOMADORI_EXCEPTIONS 0
#endif

/* The details of this thread's last failed call. */
inline Failure last_failure(kmd_status status)
{
    kmd_error e{};
    e.size = sizeof e;
    kmd_last_error(&e);
    return Failure(status, e);
}

/* Throws a failure as the class of its kind. */
[[noreturn]] inline void raise(Failure failure)
{
#if KOMADORI_EXCEPTIONS
    switch (failure.status()) {
    case KMD_ERR_PARSE: throw ParseError(std::move(failure));
    case KMD_ERR_ILLEGAL_MOVE: throw IllegalMoveError(std::move(failure));
    case KMD_ERR_AMBIGUOUS_MOVE: throw AmbiguousMoveError(std::move(failure));
    case KMD_ERR_INVALID_POSITION: throw InvalidPositionError(std::move(failure));
    case KMD_ERR_INVALID_VALUE: throw InvalidValueError(std::move(failure));
    case KMD_ERR_HANDLE:
    case KMD_ERR_BUSY:
    case KMD_ERR_FORKED: throw HandleError(std::move(failure));
    case KMD_ERR_CANCELLED: throw CancelledError(std::move(failure));
    default: throw Error(std::move(failure));
    }
#else
    std::fprintf(stderr, "%s\n", failure.message().c_str());
    std::abort();
#endif
}

/* Throws when a status is a failure. The details are those of this thread's last failed call. */
inline void check(kmd_status status)
{
    if (status < 0)
        raise(last_failure(status));
}

/* A value, or why there is none. Reading the value of a failed one throws. */
template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Failure failure) : failure_(std::move(failure)) {}

    bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    kmd_status status() const noexcept { return failure_.status(); }
    const Failure &failure() const noexcept { return failure_; }
    T &value() &
    {
        if (!value_)
            raise(failure_);
        return *value_;
    }
    const T &value() const &
    {
        if (!value_)
            raise(failure_);
        return *value_;
    }
    T &&value() && { return std::move(value()); }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(value()); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }
    template <class U> T value_or(U &&other) &&
    {
        return value_ ? std::move(*value_) : static_cast<T>(std::forward<U>(other));
    }

private:
    std::optional<T> value_;
    Failure failure_;
};

template <> class [[nodiscard]] Result<void> {
public:
    Result() noexcept = default;
    Result(Failure failure) : failure_(std::move(failure)) {}

    bool has_value() const noexcept { return failure_.status() == KMD_OK; }
    explicit operator bool() const noexcept { return has_value(); }
    kmd_status status() const noexcept { return failure_.status(); }
    const Failure &failure() const noexcept { return failure_; }
    void value() const
    {
        if (!has_value())
            raise(failure_);
    }

private:
    Failure failure_;
};

#if KOMADORI_EXCEPTIONS
/* The result of a function that throws: result_of([&] { return board.to_hcp(); }). */
template <class F> auto result_of(F &&f) -> Result<decltype(f())>
{
    try {
        if constexpr (std::is_void_v<decltype(f())>) {
            f();
            return {};
        } else {
            return f();
        }
    } catch (const Error &e) {
        return e.failure();
    }
}
#endif

/* Entries that lie one after another in memory of somebody else's: of a vector, an array, or a pointer and a number. */
template <class T> class Span {
public:
    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    template <class C, class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *> && !std::is_same_v<std::decay_t<C>, Span>>>
    constexpr Span(C &&container) noexcept : data_(container.data()), size_(container.size())
    {
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }
    constexpr Span subspan(std::size_t first, std::size_t count) const noexcept { return Span(data_ + first, count); } /* within the span */

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

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

/* The pieces of a text between offsets. */
inline std::vector<std::string> cut(const std::string &text, const std::vector<std::int64_t> &offsets)
{
    std::vector<std::string> out;
    out.reserve(offsets.size());
    for (std::size_t i = 0; i + 1 < offsets.size(); i++)
        out.push_back(text.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
    return out;
}

/* The details of a failure that is the wrapper's own. */
inline kmd_error error_of(kmd_status status, const char *message) noexcept
{
    kmd_error e{};
    e.kind = status;
    e.offset = e.row = -1;
    std::snprintf(e.message, sizeof e.message, "%s", message);
    return e;
}

/* Throws once the library turns out to be of another version than this header. */
inline void same_version()
{
    static const bool same = kmd_abi_version() == KMD_ABI_VERSION;
    if (!same) {
        kmd_error e = error_of(KMD_ERR_ARGUMENT, "komadori: the library has another ABI version than its header");
        raise(Failure(KMD_ERR_ARGUMENT, e));
    }
}

/* A struct that begins with its size, all else 0. */
template <class T> T sized() noexcept
{
    T t{};
    t.size = sizeof t;
    return t;
}

} // namespace detail

/* ------------------------------------------------------------------------------------------------------------- Library */

/* Text about the build of the library: version, Go version, operating system, processor and its level. */
inline std::string build_info()
{
    return detail::text_of([](char *b, std::size_t c, std::size_t *n) { return kmd_build_info(b, c, n); });
}
inline std::uint32_t version() noexcept { return kmd_version(); } /* major*1000000 + minor*1000 + patch */
inline bool is_alive() noexcept { return kmd_alive() == 1; }      /* false in a child made by fork() */

/* How many threads functions with threads = 0 use. */
inline void set_threads(int n) { check(kmd_set_threads(n)); }
inline int threads()
{
    std::int32_t n = 0;
    check(kmd_threads(&n));
    return n;
}

/* What is open, and the memory of it. */
using Usage = kmd_usage;
inline Usage usage()
{
    Usage u{};
    u.size = sizeof u;
    check(kmd_get_usage(&u));
    return u;
}

/* -------------------------------------------------------------------------------------------------------------- Values */

enum class Color : std::uint8_t { Black = 0, White = 1 };

constexpr Color opposite(Color c) noexcept { return c == Color::Black ? Color::White : Color::Black; }

enum class PieceType : std::uint8_t {
    None, Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight, ProSilver, Horse, Dragon
};

/* Kinds numbered P L N S G B R instead of P L N S B R G; the others are numbered alike. */
inline std::uint8_t to_gold_first(PieceType t) noexcept { return kmd_piece_type_to_gold_first(static_cast<std::uint8_t>(t)); }
inline PieceType from_gold_first(std::uint8_t number) noexcept { return static_cast<PieceType>(kmd_piece_type_from_gold_first(number)); }

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

    /* Other numberings of pieces, see komadori.h. What is no piece is empty. */
    std::int8_t to_signed() const noexcept { return kmd_piece_to_signed(raw_); }
    static Piece from_signed(std::int8_t number) noexcept { return Piece(kmd_piece_from_signed(number)); }
    std::uint8_t to_flagged() const noexcept { return kmd_piece_to_flagged(raw_); }
    static Piece from_flagged(std::uint8_t flags) noexcept { return Piece(kmd_piece_from_flagged(flags)); }

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
    constexpr Square flip_side() const noexcept { return on_board() ? Square(static_cast<std::uint8_t>(80 - raw_)) : *this; }
    constexpr Square mirror_file() const noexcept { return on_board() ? Square(static_cast<std::uint8_t>(72 - raw_ / 9 * 9 + raw_ % 9)) : *this; }
    /* The square counted rank by rank from 9a = 0, as row-major programs have it; 81 is none. */
    constexpr std::uint8_t row_major() const noexcept
    {
        return on_board() ? static_cast<std::uint8_t>(9 * (raw_ % 9) + 8 - raw_ / 9) : std::uint8_t{81};
    }
    static constexpr Square from_row_major(std::uint8_t index) noexcept
    {
        return index < 81 ? Square(static_cast<std::uint8_t>(9 * (8 - index % 9) + index / 9)) : Square();
    }

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
    /* At least as many of every kind. */
    constexpr bool is_superior_or_equal(Hand other) const noexcept
    {
        for (unsigned i = 1; i < 8; i++)
            if (count(static_cast<PieceType>(i)) < other.count(static_cast<PieceType>(i)))
                return false;
        return true;
    }
    /* From and to counts in the order P L N S B R G. InvalidValueError for more than exist. */
    static Hand from_counts(const std::array<std::uint8_t, 7> &counts)
    {
        kmd_hand h = 0;
        check(kmd_hand_pack(counts.data(), &h));
        return Hand(h);
    }
    std::array<std::uint8_t, 7> counts() const
    {
        std::array<std::uint8_t, 7> n{};
        check(kmd_hand_unpack(raw_, n.data()));
        return n;
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

    /* From one square to another, or from the hand. What is no move gives none. */
    static constexpr Move normal(Square from, Square to, bool promotes = false) noexcept
    {
        return from.on_board() && to.on_board() && from != to
                   ? Move(static_cast<kmd_move>(to.raw() | from.raw() << 7 | static_cast<int>(promotes) << 15))
                   : Move();
    }
    static constexpr Move drop(PieceType t, Square to) noexcept
    {
        return t >= PieceType::Pawn && t <= PieceType::Gold && to.on_board() ? Move(static_cast<kmd_move>(to.raw() | static_cast<int>(t) << 7 | 1 << 14)) : Move();
    }

    static Move from_usi(std::string_view text) { return try_from_usi(text).value(); }
    static Result<Move> try_from_usi(std::string_view text)
    {
        kmd_move m = 0;
        kmd_status s = kmd_move_from_usi(text.data(), text.size(), &m);
        return s < 0 ? Result<Move>(last_failure(s)) : Result<Move>(Move(m));
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
    /* Whether the value can be a move of the game: two squares, or a kind dropped on a square. */
    constexpr bool is_normal() const noexcept
    {
        const unsigned to = raw_ & 127u, from = raw_ >> 7 & 127u;
        return is_drop() ? to < 81 && from >= 1 && from <= 7 && !is_promotion() : to < 81 && from < 81 && to != from;
    }
    constexpr bool is_drop() const noexcept { return (raw_ >> 14 & 1) != 0; }
    constexpr bool is_promotion() const noexcept { return raw_ >> 15 != 0; }
    constexpr Square to() const noexcept { return Square(static_cast<std::uint8_t>(raw_ & 127)); }
    constexpr Square from() const noexcept { return is_drop() ? Square() : Square(static_cast<std::uint8_t>(raw_ >> 7 & 127)); }
    constexpr PieceType dropped_type() const noexcept
    {
        return is_drop() && (raw_ >> 7 & 127) < 8 ? static_cast<PieceType>(raw_ >> 7 & 7) : PieceType::None;
    }
    /* Turned by 180 degrees, or files mirrored; other than normal values stay as they are. */
    constexpr Move flip_side() const noexcept { return is_normal() ? turned(to().flip_side(), from().flip_side()) : *this; }
    constexpr Move mirror_file() const noexcept { return is_normal() ? turned(to().mirror_file(), from().mirror_file()) : *this; }

    friend constexpr bool operator==(Move a, Move b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Move a, Move b) noexcept { return a.raw_ != b.raw_; }

private:
    constexpr Move turned(Square to, Square from) const noexcept
    {
        const unsigned source = is_drop() ? raw_ >> 7 & 127u : from.raw();
        return Move(static_cast<kmd_move>((raw_ & 0xC000u) | source << 7 | to.raw()));
    }

    kmd_move raw_ = KMD_MOVE_NONE;
};

/* A move and the piece after it. */
class Move32 {
public:
    constexpr Move32() noexcept = default;
    constexpr explicit Move32(kmd_move32 raw) noexcept : raw_(raw) {}
    constexpr Move32(Move m, Piece after) noexcept : raw_(m.raw() | static_cast<kmd_move32>(after.raw()) << 16) {}
    static Move32 from_apery32(kmd_apery32 apery, Color turn)
    {
        kmd_move32 m = 0;
        check(kmd_move32_from_apery32(apery, static_cast<std::uint8_t>(turn), &m));
        return Move32(m);
    }

    constexpr kmd_move32 raw() const noexcept { return raw_; }
    constexpr Move move() const noexcept { return Move(static_cast<kmd_move>(raw_)); }
    constexpr Piece piece_after() const noexcept { return Piece(static_cast<std::uint8_t>(raw_ >> 16 & 31)); } /* empty when it is not set */
    Move32 flip_side() const noexcept { return Move32(kmd_move32_flip_side(raw_)); }
    Move32 mirror_file() const noexcept { return Move32(kmd_move32_mirror_file(raw_)); }

    friend constexpr bool operator==(Move32 a, Move32 b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Move32 a, Move32 b) noexcept { return a.raw_ != b.raw_; }

private:
    kmd_move32 raw_ = 0;
};

inline namespace literals {

/* "7g7f"_move, "8h2b+"_move, "P*5e"_move: USI text known when the program is compiled. What is no move does not compile as a constant, and is none elsewhere. */
constexpr Move operator""_move(const char *text, std::size_t length) noexcept
{
    constexpr auto square = [](const char *t) { return Square(t[0] - '0', t[1] - 'a' + 1); };
    if (length == 4 && text[1] == '*') {
        constexpr char letters[] = "PLNSBRG";
        for (int i = 0; i < 7; i++)
            if (letters[i] == text[0])
                return Move::drop(static_cast<PieceType>(i + 1), square(text + 2));
    }
    return length == 4 || (length == 5 && text[4] == '+') ? Move::normal(square(text), square(text + 2), length == 5) : Move();
}

} // namespace literals

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
        if (kmd_ki2_is_valid(raw) != 1)
            raise(Failure(KMD_ERR_INVALID_VALUE, kmd_error{}));
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
    Span<const kmd_move> raw() const noexcept { return {moves_.data(), size_}; }
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
    std::size_t size() const noexcept
    {
        std::size_t n = 0;
        for (std::uint64_t w : words)
            for (; w != 0; w &= w - 1)
                n++;
        return n;
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

/* Bytes of a row of a format, KMD_FORMAT_...; 0 for what is no format. */
constexpr std::size_t row_size(int format) noexcept
{
    constexpr std::size_t sizes[] = {0, 32, 32, 38, 40, 38, KMD_HCPE3_ROW_SIZE, 96};
    return format >= KMD_FORMAT_HCP && format <= KMD_FORMAT_BOARD ? sizes[format] : 0;
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

    static Result<Setup> try_from_text(std::string_view text, Text form = Text::SFEN)
    {
        Setup out;
        kmd_status s = kmd_setup_from_text(static_cast<std::int32_t>(form), text.data(), text.size(), &out.setup_);
        return s < 0 ? Result<Setup>(last_failure(s)) : Result<Setup>(out);
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
    Board() : Board(try_make([](kmd_board *b) { return kmd_board_new(b); }).value()) {}
    explicit Board(std::string_view sfen) : Board(try_from_sfen(sfen).value()) {}

    static Board from_sfen(std::string_view text) { return Board(text); }
    static Result<Board> try_from_sfen(std::string_view text)
    {
        return try_make([&](kmd_board *b) { return kmd_board_from_sfen(text.data(), text.size(), b); });
    }
    static Board from_position(std::string_view text) { return try_from_position(text).value(); } /* position line of USI, with moves */
    static Result<Board> try_from_position(std::string_view text)
    {
        return try_make([&](kmd_board *b) { return kmd_board_from_position(text.data(), text.size(), b); });
    }
    static Board from_setup(const kmd_setup &setup) { return try_from_setup(setup).value(); }
    static Board from_setup(const Setup &setup) { return from_setup(setup.raw()); }
    static Result<Board> try_from_setup(const kmd_setup &setup)
    {
        return try_make([&](kmd_board *b) { return kmd_board_from_setup(&setup, b); });
    }
    static Result<Board> try_from_setup(const Setup &setup) { return try_from_setup(setup.raw()); }
    static Board handicap(Handicap h) { return from_setup(Setup(h)); }
    static Board handicap(std::string_view name) { return handicap(handicap_from_name(name)); }
    static Board from_hcp(const Packed &bytes) { return try_from_hcp(bytes).value(); }
    static Result<Board> try_from_hcp(const Packed &bytes)
    {
        return try_make([&](kmd_board *b) { return kmd_board_from_hcp(bytes.data(), b); });
    }
    static Board from_packed_sfen(const Packed &bytes) { return try_from_packed_sfen(bytes).value(); }
    static Result<Board> try_from_packed_sfen(const Packed &bytes)
    {
        return try_make([&](kmd_board *b) { return kmd_board_from_packed_sfen(bytes.data(), b); });
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
        return try_make([this](kmd_board *b) { return kmd_board_copy(handle_, b); }).value();
    }
    Board flip_side() const
    {
        return try_make([this](kmd_board *b) { return kmd_board_flip_side(handle_, b); }).value();
    }
    Board mirror_file() const
    {
        return try_make([this](kmd_board *b) { return kmd_board_mirror_file(handle_, b); }).value();
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
    void push(Move32 m) { check(kmd_board_push32(handle_, m.raw())); } /* its piece, when it is set, has to be the one that arrives */
    void push(std::string_view usi) { push(Move::from_usi(usi)); }
    void push_unchecked(Move m) { check(kmd_board_push_unchecked(handle_, m.raw())); } /* of a legal move, see komadori.h */
    void push_null() { check(kmd_board_push_null(handle_)); }
    Move pop()
    {
        kmd_move m = 0;
        check(kmd_board_pop(handle_, &m));
        return Move(m);
    }
    /* Whether the move was legal and has been played; false also says that nothing has changed. */
    bool try_push(Move m) noexcept { return kmd_board_push(handle_, m.raw()) == KMD_OK; }
    Result<Move> try_push(std::string_view usi)
    {
        Result<Move> m = Move::try_from_usi(usi);
        kmd_status s = m ? kmd_board_push(handle_, m.value().raw()) : KMD_OK;
        return s < 0 ? Result<Move>(last_failure(s)) : m;
    }
    Result<Move> try_pop()
    {
        kmd_move m = 0;
        kmd_status s = kmd_board_pop(handle_, &m);
        return s < 0 ? Result<Move>(last_failure(s)) : Result<Move>(Move(m));
    }

    /* What makes boards, for this one, which is cheaper; its history is forgotten, but for that of a board that is copied. */
    void set_sfen(std::string_view text) { check(kmd_board_set_sfen(handle_, text.data(), text.size())); }
    void set_position(std::string_view text) { check(kmd_board_set_position(handle_, text.data(), text.size())); }
    void set_setup(const Setup &setup) { check(kmd_board_set_setup(handle_, &setup.raw())); }
    void set_hcp(const Packed &bytes) { check(kmd_board_set_hcp(handle_, bytes.data())); }
    void set_packed_sfen(const Packed &bytes) { check(kmd_board_set_packed_sfen(handle_, bytes.data())); }
    void set_board(const Board &other) { check(kmd_board_set_board(handle_, other.handle_)); }
    void set_flipped(const Board &other) { check(kmd_board_set_flipped(handle_, other.handle_)); }
    void set_mirrored(const Board &other) { check(kmd_board_set_mirrored(handle_, other.handle_)); }

    MoveList legal_moves() const
    {
        MoveList l;
        std::int32_t n = kmd_board_list(handle_, l.moves_.data());
        check(n);
        l.size_ = static_cast<std::size_t>(n);
        return l;
    }
    std::vector<Move32> legal_moves32() const /* with the piece after each */
    {
        std::size_t n = 0;
        std::array<kmd_move32, KMD_MAX_LEGAL_MOVES> raw;
        check(kmd_board_legal_moves32(handle_, raw.data(), raw.size(), &n));
        std::vector<Move32> out;
        out.reserve(n);
        for (std::size_t i = 0; i < n; i++)
            out.push_back(Move32(raw[i]));
        return out;
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
    Move parse_move(std::string_view text, Style style) const { return try_parse_move(text, style).value(); }
    Result<Move> try_parse_move(std::string_view text, Style style) const
    {
        kmd_move m = 0;
        kmd_status s = kmd_board_parse_move(handle_, static_cast<std::int32_t>(style), text.data(), text.size(), &m);
        return s < 0 ? Result<Move>(last_failure(s)) : Result<Move>(Move(m));
    }
    /* Words of many legal moves, each as if it came next. */
    std::vector<std::string> format_moves(Span<const Move> moves, Style style) const
    {
        std::vector<kmd_move> raw;
        raw.reserve(moves.size());
        for (Move m : moves)
            raw.push_back(m.raw());
        return format_raw(raw, style);
    }
    std::vector<std::string> format_moves(const MoveList &moves, Style style) const { return format_raw(moves.raw(), style); }
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
    Move32 complete(Move32 m) const /* with its piece */
    {
        kmd_move32 full = 0;
        check(kmd_board_complete_move32(handle_, m.raw(), &full));
        return Move32(full);
    }
    kmd_apery32 apery32(Move m) const
    {
        kmd_apery32 a = 0;
        check(kmd_board_apery32(handle_, m.raw(), &a));
        return a;
    }
    std::vector<kmd_problem> problems() const /* what is odd about the position */
    {
        std::array<kmd_problem, KMD_MAX_PROBLEMS> found;
        std::size_t n = 0;
        check(kmd_board_problems(handle_, found.data(), found.size(), &n));
        return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n)};
    }
    /* A training record for every move of the history: evals, one for each, of the side to move; result KMD_BLACK_WIN, KMD_WHITE_WIN or KMD_DRAW. */
    std::vector<std::uint8_t> records(int format, Span<const std::int16_t> evals, int result, int convention = 0) const
    {
        if (evals.size() != static_cast<std::size_t>(history_length()))
            raise(Failure(KMD_ERR_ARGUMENT, detail::error_of(KMD_ERR_ARGUMENT, "komadori::Board::records: evals must have an entry for each move")));
        std::vector<std::uint8_t> out(row_size(format) * evals.size());
        std::size_t n = 0;
        check(kmd_board_records(handle_, format, convention, evals.data(), result, out.data(), evals.size(), &n));
        return out;
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
    std::vector<std::string> format_raw(Span<const kmd_move> moves, Style style) const
    {
        std::vector<std::int64_t> offsets(moves.size() + 1);
        std::string text(32 * moves.size(), '\0'); /* no move takes more */
        check(kmd_board_format_moves(handle_, static_cast<std::int32_t>(style), moves.data(), moves.size(), offsets.data(), text.data(), text.size()));
        return detail::cut(text, offsets);
    }

    Board(kmd_board handle, const kmd_board_view *view) noexcept : handle_(handle), view_(view) {}

    static constexpr std::uint8_t raw(Color c) noexcept { return static_cast<std::uint8_t>(c); }
    template <class F> static SquareSet set(F &&f)
    {
        SquareSet s;
        check(f(s.words));
        return s;
    }

    template <class F> static Result<Board> try_make(F &&f)
    {
        detail::same_version();
        Board b(0, nullptr);
        kmd_status s = f(&b.handle_);
        if (s >= 0)
            s = kmd_board_get_view(b.handle_, &b.view_); /* b closes the handle should this fail */
        if (s < 0)
            return last_failure(s);
        return Result<Board>(std::move(b));
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
        if (view_ == nullptr)
            raise(Failure(KMD_ERR_HANDLE, kmd_error{}));
        return *view_;
    }

    kmd_board handle_ = 0;
    const kmd_board_view *view_ = nullptr;
};

/* -------------------------------------------------------------------------------------------------------- Game records */

/* A game record (棋譜) as a tree: one block of memory, laid out as komadori.h says. A value that owns its memory. */
class Kifu {
public:
    /* The games of a text: KIF, KI2, CSA, JKF, position lines of USI, SFEN, diagrams; what it looks like unless options say. A text that cannot be read to its
     * end is an error; read_all() gives what was read before it, too. */
    static std::vector<Kifu> read(std::string_view text, const kmd_kifu_options &options = detail::sized<kmd_kifu_options>())
    {
        Failure failure;
        std::vector<Kifu> games = read_all(text, failure, options);
        if (failure.status() != KMD_OK)
            raise(std::move(failure));
        return games;
    }
    static std::vector<Kifu> read_all(std::string_view text, Failure &failure, const kmd_kifu_options &options = detail::sized<kmd_kifu_options>())
    {
        detail::same_version();
        std::size_t needed = 0;
        std::vector<std::uint64_t> block(32 + text.size() / 2); /* 8-byte aligned */
        kmd_status s = KMD_ERR_BUFFER;
        for (int i = 0; i < 2 && s == KMD_ERR_BUFFER; i++) {
            if (i > 0)
                block.resize(needed / 8);
            s = kmd_kifu_read(text.data(), text.size(), &options, reinterpret_cast<std::uint8_t *>(block.data()), 8 * block.size(), &needed);
        }
        if (s < 0)
            failure = last_failure(s);
        std::vector<Kifu> games;
        if (s == KMD_ERR_BUFFER)
            return games;
        for (std::size_t at = 0; at < needed / 8;) {
            const auto *head = reinterpret_cast<const kmd_kifu_head *>(block.data() + at);
            games.push_back(Kifu(block.data() + at, head->size / 8));
            at += head->size / 8;
        }
        return games;
    }

    const kmd_kifu_head &head() const noexcept { return *reinterpret_cast<const kmd_kifu_head *>(block_.data()); }
    Span<const kmd_kifu_node> nodes() const noexcept { return {part<kmd_kifu_node>(sizeof(kmd_kifu_head)), head().nodes}; }
    Span<const kmd_kifu_note> notes() const noexcept { return {part<kmd_kifu_note>(after_nodes()), head().notes}; }
    Span<const kmd_kifu_header> headers() const noexcept { return {part<kmd_kifu_header>(after_notes()), head().headers}; }
    Span<const kmd_kifu_warning> warnings() const noexcept { return {part<kmd_kifu_warning>(after_headers()), head().warnings}; }
    std::string_view text(kmd_span of) const noexcept { return {part<char>(head().text + of.offset), of.length}; }
    /* The value of a header by its key, in KIF's words; empty without one. */
    std::string_view header(std::string_view key) const noexcept
    {
        for (const kmd_kifu_header &h : headers())
            if (text(h.key) == key)
                return text(h.value);
        return {};
    }
    std::vector<Move> moves() const /* of the main line */
    {
        std::vector<Move> out;
        for (std::size_t i = 1; i <= head().plies; i++)
            out.push_back(Move(nodes()[i].move));
        return out;
    }
    Board board_at(std::uint32_t node) const /* after a node, with the history of its line */
    {
        Board b;
        check(kmd_board_set_kifu(b.handle(), bytes().data(), bytes().size(), node));
        return b;
    }
    /* As text of a format, KMD_KIFU_..., in an encoding; and what that has no place for, a line each. */
    std::string write(int format, int encoding = KMD_ENCODING_UTF8) const { return written(kmd_kifu_write, format, encoding); }
    std::string losses(int format, int encoding = KMD_ENCODING_UTF8) const { return written(kmd_kifu_losses, format, encoding); }
    /* What engines said in comments, and the moves of all their lines: those of one are moves[first] and so on. */
    std::vector<kmd_kifu_analysis> analyses(std::vector<kmd_move> &moves) const
    {
        std::vector<kmd_kifu_analysis> out;
        std::size_t n = 0, m = 0;
        kmd_status s = KMD_ERR_BUFFER;
        for (int i = 0; i < 2 && s == KMD_ERR_BUFFER; i++) {
            out.resize(n);
            moves.resize(m);
            s = kmd_kifu_analyses(bytes().data(), bytes().size(), out.data(), out.size(), &n, moves.data(), moves.size(), &m);
        }
        check(s);
        return out;
    }
    Span<const std::uint8_t> bytes() const noexcept { return {part<std::uint8_t>(0), 8 * block_.size()}; }

    /* A block that a program has made, checked and put in order. */
    static Kifu from_bytes(Span<const std::uint8_t> raw)
    {
        detail::same_version();
        std::size_t needed = 0;
        std::vector<std::uint64_t> block(raw.size() / 8 + 1);
        kmd_status s = KMD_ERR_BUFFER;
        for (int i = 0; i < 2 && s == KMD_ERR_BUFFER; i++) {
            if (i > 0)
                block.resize(needed / 8);
            s = kmd_kifu_check(raw.data(), raw.size(), reinterpret_cast<std::uint8_t *>(block.data()), 8 * block.size(), &needed);
        }
        check(s);
        return Kifu(block.data(), needed / 8);
    }

    /* Of a block of so many words of 8 bytes that the library has written. */
    Kifu(const std::uint64_t *words, std::size_t n) : block_(words, words + n) {}

    std::string written(decltype(&kmd_kifu_write) f, int format, int encoding) const
    {
        kmd_kifu_write_options o = detail::sized<kmd_kifu_write_options>();
        o.format = format;
        o.encoding = encoding;
        return detail::text_of([&](char *b, std::size_t c, std::size_t *n) { return f(bytes().data(), bytes().size(), &o, b, c, n); });
    }
    template <class T> const T *part(std::size_t at) const noexcept
    {
        return reinterpret_cast<const T *>(reinterpret_cast<const char *>(block_.data()) + at);
    }
    std::size_t after_nodes() const noexcept { return sizeof(kmd_kifu_head) + head().nodes * sizeof(kmd_kifu_node); }
    std::size_t after_notes() const noexcept { return after_nodes() + head().notes * sizeof(kmd_kifu_note); }
    std::size_t after_headers() const noexcept { return after_notes() + head().headers * sizeof(kmd_kifu_header); }

    std::vector<std::uint64_t> block_;
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
    kmd_job handle() const noexcept { return handle_; }
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
    /* How many positions it has; -1 when they are not counted, because it is searched on disk. */
    std::int64_t size() const
    {
        std::int64_t n = 0;
        check(kmd_book_size(handle_, &n));
        return n;
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

/* The name of a plane. */
inline std::string plane_name(std::uint16_t plane)
{
    return detail::text_of([=](char *b, std::size_t c, std::size_t *n) { return kmd_plane_name(plane, b, c, n); });
}

/* The same for bytes that hold whole rows. InvalidValueError for what is no format, or a part of a row. */
inline kmd_rows rows(int format, Span<const std::uint8_t> bytes, int threads = 0)
{
    const std::size_t size = row_size(format);
    if (size == 0 || bytes.size() % size != 0)
        raise(Failure(KMD_ERR_INVALID_VALUE, detail::error_of(KMD_ERR_INVALID_VALUE, "komadori::rows: no format, or bytes that are no whole rows")));
    return rows(format, bytes.data(), bytes.size() / size, threads);
}

/*
 * Functions over many rows. With row_status, an entry a row, each row reports for itself and bad rows are zero; without it the lowest bad row is thrown,
 * and its number is row() of the error.
 */
using RowStatus = Span<kmd_status>;

namespace detail {

inline kmd_status *status_of(RowStatus status, std::size_t n)
{
    if (!status.empty() && status.size() != n)
        raise(Failure(KMD_ERR_ARGUMENT, error_of(KMD_ERR_ARGUMENT, "komadori: row_status must have an entry for each row")));
    return status.data();
}

inline void same_length(std::size_t got, std::size_t want, const char *what)
{
    if (got != want)
        raise(Failure(KMD_ERR_ARGUMENT, error_of(KMD_ERR_ARGUMENT, what)));
}

} // namespace detail

/* Lists of all rows, one after the other: that of row i is [offsets[i], offsets[i+1]). */
template <class T> struct Ragged {
    std::vector<std::int64_t> offsets;
    std::vector<T> values;

    std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
    Span<const T> operator[](std::size_t i) const noexcept
    {
        return {values.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    }
};

inline Ragged<kmd_move> legal_moves(const kmd_rows &r, RowStatus status = {})
{
    Ragged<kmd_move> out{std::vector<std::int64_t>(r.n + 1), std::vector<kmd_move>(100 * r.n)};
    kmd_status s = kmd_legal_moves_batch(&r, out.offsets.data(), out.values.data(), out.values.size(), detail::status_of(status, r.n));
    if (s == KMD_ERR_BUFFER) {
        out.values.resize(static_cast<std::size_t>(out.offsets[r.n]));
        s = kmd_legal_moves_batch(&r, out.offsets.data(), out.values.data(), out.values.size(), status.data());
    }
    check(s);
    out.values.resize(static_cast<std::size_t>(out.offsets[r.n]));
    return out;
}

inline std::vector<std::string> sfens(const kmd_rows &r, RowStatus status = {})
{
    std::vector<std::int64_t> offsets(r.n + 1);
    std::string text(KMD_SFEN_SIZE * r.n, '\0');
    check(kmd_sfens_batch(&r, offsets.data(), text.data(), text.size(), detail::status_of(status, r.n)));
    return detail::cut(text, offsets);
}

/* Positions of SFENs, as KMD_FORMAT_HCP, KMD_FORMAT_PACKED_SFEN or KMD_FORMAT_BOARD. */
inline std::vector<std::uint8_t> encode(Span<const std::string> texts, int format, RowStatus status = {}, int threads = 0)
{
    std::string all;
    std::vector<std::int64_t> offsets{0};
    for (const std::string &t : texts) {
        all += t;
        offsets.push_back(static_cast<std::int64_t>(all.size()));
    }
    std::vector<std::uint8_t> out(row_size(format) * texts.size());
    check(kmd_encode_batch(all.data(), offsets.data(), texts.size(), format, threads, out.data(), detail::status_of(status, texts.size())));
    return out;
}

/* Kifu::read() for many texts: the games of each, also those before an error that row_status tells of. */
inline std::vector<std::vector<Kifu>> read_kifus(Span<const std::string> texts, RowStatus status = {}, int threads = 0)
{
    std::string all;
    std::vector<std::int64_t> offsets{0}, places(texts.size() + 1);
    for (const std::string &t : texts) {
        all += t;
        offsets.push_back(static_cast<std::int64_t>(all.size()));
    }
    std::vector<std::uint64_t> block(32 * texts.size() + all.size() / 2);
    kmd_status s = KMD_ERR_BUFFER;
    for (int i = 0; i < 2 && s == KMD_ERR_BUFFER; i++) {
        if (i > 0)
            block.resize(static_cast<std::size_t>(places[texts.size()]) / 8);
        s = kmd_kifu_read_batch(all.data(), offsets.data(), texts.size(), nullptr, threads, reinterpret_cast<std::uint8_t *>(block.data()), 8 * block.size(),
                                places.data(), detail::status_of(status, texts.size()));
    }
    check(s);
    std::vector<std::vector<Kifu>> out(texts.size());
    for (std::size_t i = 0; i < texts.size(); i++)
        for (std::size_t at = static_cast<std::size_t>(places[i]) / 8, end = static_cast<std::size_t>(places[i + 1]) / 8; at < end;) {
            out[i].push_back(Kifu(block.data() + at, reinterpret_cast<const kmd_kifu_head *>(block.data() + at)->size / 8));
            at += reinterpret_cast<const kmd_kifu_head *>(block.data() + at)->size / 8;
        }
    return out;
}

/* Labels of moves; turns: KMD_BLACK or KMD_WHITE each, or none for Black throughout. */
inline std::vector<std::uint16_t> labels(Span<const kmd_move> moves, Span<const std::uint8_t> turns = {}, bool compact = false, RowStatus status = {}, int threads = 0)
{
    if (!turns.empty())
        detail::same_length(turns.size(), moves.size(), "komadori::labels: turns must be as many as moves");
    std::vector<std::uint16_t> out(moves.size());
    check(kmd_labels_batch(moves.data(), turns.data(), moves.size(), compact, threads, out.data(), detail::status_of(status, moves.size())));
    return out;
}

/* Labels of the best moves of records. */
inline std::vector<std::uint16_t> record_labels(const kmd_rows &r, bool compact = false, RowStatus status = {})
{
    std::vector<std::uint16_t> out(r.n);
    check(kmd_record_labels_batch(&r, compact ? nullptr : out.data(), compact ? out.data() : nullptr, detail::status_of(status, r.n)));
    return out;
}

/* The legal move of every row that has a label. */
inline std::vector<kmd_move> moves_of_labels(const kmd_rows &r, Span<const std::uint16_t> of, bool compact = false, RowStatus status = {})
{
    detail::same_length(of.size(), r.n, "komadori::moves_of_labels: labels must be as many as rows");
    std::vector<kmd_move> out(r.n);
    check(kmd_moves_of_labels_batch(&r, of.data(), compact, out.data(), detail::status_of(status, r.n)));
    return out;
}

/* A byte for each label of a row, 1 when a legal move has it; with bits a bit. */
inline std::vector<std::uint8_t> legal_masks(const kmd_rows &r, bool compact = false, bool bits = false, RowStatus status = {})
{
    const std::size_t classes = compact ? KMD_COMPACT_LABELS : KMD_LABELS;
    std::vector<std::uint8_t> out(r.n * (bits ? (classes + 7) / 8 : classes));
    check(kmd_legal_masks_batch(&r, compact, bits, out.data(), detail::status_of(status, r.n)));
    return out;
}

/* Every position after a move, as KMD_FORMAT_HCP, KMD_FORMAT_PACKED_SFEN or KMD_FORMAT_BOARD. */
inline std::vector<std::uint8_t> play(const kmd_rows &r, Span<const kmd_move> moves, int format, RowStatus status = {})
{
    detail::same_length(moves.size(), r.n, "komadori::play: moves must be as many as rows");
    std::vector<std::uint8_t> out(row_size(format) * r.n);
    check(kmd_play_batch(&r, moves.data(), format, out.data(), detail::status_of(status, r.n)));
    return out;
}

/* Of each row by square how many pieces of a color attack it: 2 * 81 bytes; by kind, too, 2 * 15 * 81. */
inline std::vector<std::uint8_t> attack_counts(const kmd_rows &r, bool by_kind = false, bool xray = false, RowStatus status = {})
{
    std::vector<std::uint8_t> out(r.n * 2 * KMD_SQUARES * (by_kind ? 15 : 1));
    check(kmd_attack_counts_batch(&r, xray, by_kind, out.data(), detail::status_of(status, r.n)));
    return out;
}

/* Rows by number. */
inline std::vector<std::uint8_t> gather(const kmd_rows &r, Span<const std::int64_t> numbers)
{
    std::vector<std::uint8_t> out(row_size(r.format) * numbers.size());
    check(kmd_gather_batch(&r, numbers.data(), numbers.size(), out.data()));
    return out;
}

/* Which records kmd_decode.mirror_share mirrors. */
inline std::vector<std::uint8_t> mirrored(double share, std::uint64_t seed, Span<const std::uint64_t> numbers)
{
    std::vector<std::uint8_t> out(numbers.size());
    check(kmd_mirrored_batch(share, seed, numbers.data(), numbers.size(), out.data()));
    return out;
}

/* Fills the outputs that are set. */
inline void look(const kmd_rows &r, const kmd_facts &f, RowStatus status = {}) { check(kmd_facts_batch(&r, &f, detail::status_of(status, r.n))); }
inline void decode(const kmd_rows &r, const kmd_decode &d, RowStatus status = {}) { check(kmd_decode_batch(&r, &d, detail::status_of(status, r.n))); }

/* Rows in another format. conversion.out and, for HCPE3, conversion.candidates are the caller's. */
inline void convert(const kmd_rows &r, kmd_conversion &c, RowStatus status = {}) { check(kmd_convert_batch(&r, &c, detail::status_of(status, r.n))); }
inline std::vector<std::uint8_t> convert(const kmd_rows &r, int format, RowStatus status = {}) /* to any format but HCPE3 */
{
    std::vector<std::uint8_t> out(row_size(format) * r.n);
    kmd_conversion c = conversion(format, out.data());
    convert(r, c, status);
    return out;
}

/* Searches and mate searches of many positions; the answers of a job that is done are read before finish(). */
inline Job start_search(const kmd_rows &r, const kmd_search_options &options, const kmd_search_limits &l)
{
    kmd_job job = 0;
    check(kmd_search_batch_start(&r, &options, &l, &job));
    return Job(job);
}
inline Job start_mate(const kmd_rows &r, const kmd_mate_limits &l = mate_limits())
{
    kmd_job job = 0;
    check(kmd_mate_batch_start(&r, &l, &job));
    return Job(job);
}
inline std::vector<kmd_found> search_found(const Job &job, std::size_t first, std::size_t count)
{
    std::vector<kmd_found> out(count);
    check(kmd_search_batch_found(job.handle(), first, count, out.data()));
    return out;
}
inline std::vector<kmd_mate_found> mate_found(const Job &job, std::size_t first, std::size_t count)
{
    std::vector<kmd_mate_found> out(count);
    check(kmd_mate_batch_found(job.handle(), first, count, out.data()));
    return out;
}
inline Ragged<kmd_move> mate_lines(const Job &job, std::size_t row_count) /* as many rows as the job was started with */
{
    Ragged<kmd_move> out{std::vector<std::int64_t>(row_count + 1), {}};
    kmd_status s = kmd_mate_batch_moves(job.handle(), out.offsets.data(), nullptr, 0);
    if (s == KMD_ERR_BUFFER) {
        out.values.resize(static_cast<std::size_t>(out.offsets[row_count]));
        s = kmd_mate_batch_moves(job.handle(), out.offsets.data(), out.values.data(), out.values.size());
    }
    check(s);
    return out;
}

/* Looks for a mate at once, on the calling thread. */
inline kmd_result solve_mate(const Board &board, std::int32_t nodes = KMD_MATE_QUICK_NODES, bool shortest = false)
{
    kmd_result r = detail::sized<kmd_result>();
    check(kmd_quick_mate(board.handle(), nodes, shortest, &r));
    return r;
}

/* A USI engine on two file descriptors; input -1: it carries out the commands and ends. */
inline Job start_usi(int input, int output, std::string_view commands = {})
{
    kmd_job job = 0;
    check(kmd_usi_start(input, output, commands.data(), commands.size(), &job));
    return Job(job);
}

/* A file of training data as memory, until it is closed. */
class File {
public:
    explicit File(std::string_view path, int format = 0) /* KMD_FORMAT_..., or 0: by the ending of its name */
    {
        detail::same_version();
        check(kmd_file_open(path.data(), path.size(), format, &handle_));
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    File(File &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    File &operator=(File &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~File() { kmd_file_close(handle_); }

    /* Writes a file whole or not at all. */
    static void write(std::string_view path, Span<const std::uint8_t> data) { check(kmd_file_write(path.data(), path.size(), data.data(), data.size())); }

    kmd_file handle() const noexcept { return handle_; }
    std::uint64_t size() const /* rows, 0 of HCPE3 */
    {
        std::uint64_t n = 0;
        check(kmd_file_size(handle_, nullptr, nullptr, &n));
        return n;
    }
    kmd_rows rows(std::uint64_t first, std::uint64_t count, int threads = 0) const
    {
        kmd_rows r = detail::sized<kmd_rows>();
        r.threads = threads;
        check(kmd_file_rows(handle_, first, count, &r));
        return r;
    }
    kmd_rows rows() const { return rows(0, size()); }
    Span<const std::uint8_t> hcpe3() const /* for class Hcpe3 */
    {
        kmd_hcpe3_file whole = detail::sized<kmd_hcpe3_file>();
        check(kmd_file_hcpe3(handle_, &whole));
        return {whole.data, whole.length};
    }

private:
    kmd_file handle_ = 0;
};

/* A file of HCPE3, or a part of one that begins with a game, in memory the caller keeps. */
class Hcpe3 {
public:
    explicit Hcpe3(Span<const std::uint8_t> data, int which = KMD_HCPE3_TARGETS, int threads = 0) noexcept : file_(detail::sized<kmd_hcpe3_file>())
    {
        file_.which = which;
        file_.data = data.data();
        file_.length = data.size();
        file_.threads = threads;
    }

    /* The games. A file that ends within one is a ParseError. */
    std::vector<kmd_hcpe3_game> games() const
    {
        std::vector<kmd_hcpe3_game> all;
        for (std::size_t at = 0, n = 0, used = 0; at < file_.length; at += used) {
            const std::size_t from = all.size(), room = 1024 + from;
            all.resize(from + room);
            check(kmd_hcpe3_index(file_.data + at, file_.length - at, at, 1, all.data() + from, room, &n, &used));
            all.resize(from + n);
            if (used == 0)
                break;
        }
        return all;
    }
    /* Rows of KMD_FORMAT_HCPE3, place i of the game at offset i, and their candidates. */
    struct Rows {
        std::vector<std::uint8_t> bytes;
        std::vector<kmd_candidate> candidates;

        kmd_rows view(int threads = 0) const
        {
            kmd_rows r = rows(KMD_FORMAT_HCPE3, bytes, threads);
            r.candidates = candidates.data();
            r.candidate_count = candidates.size();
            return r;
        }
    };
    Rows read(Span<const std::uint64_t> offsets, Span<const std::uint16_t> places, RowStatus status = {}) const
    {
        detail::same_length(places.size(), offsets.size(), "komadori::Hcpe3::read: places must be as many as games");
        Rows out;
        const std::size_t n = offsets.size();
        std::vector<std::int64_t> at(n);
        out.bytes.resize(n * KMD_HCPE3_ROW_SIZE);
        check(kmd_hcpe3_rows_batch(&file_, offsets.data(), places.data(), n, out.bytes.data(), at.data(), detail::status_of(status, n)));
        std::size_t count = 0;
        kmd_status s = kmd_hcpe3_candidates(&file_, at.data(), n, out.bytes.data(), 0, nullptr, 0, &count);
        if (s == KMD_ERR_BUFFER) {
            out.candidates.resize(count);
            s = kmd_hcpe3_candidates(&file_, at.data(), n, out.bytes.data(), 0, out.candidates.data(), count, &count);
        }
        check(s);
        return out;
    }
    /* The number of rows of each game, which is looked at whole; check_moves KMD_CHECK_LEGAL or KMD_CHECK_NONE. */
    std::vector<std::uint16_t> check_games(Span<const std::uint64_t> offsets, int check_moves = KMD_CHECK_LEGAL, RowStatus status = {}) const
    {
        std::vector<std::uint16_t> counts(offsets.size());
        check(kmd_hcpe3_check_batch(&file_, offsets.data(), offsets.size(), check_moves, counts.data(), detail::status_of(status, offsets.size())));
        return counts;
    }
    /* Rows of KMD_FORMAT_HCPE3 as whole games of the file format. */
    static std::vector<std::uint8_t> pack(const kmd_rows &r)
    {
        std::size_t needed = 0, used = 0;
        std::uint64_t lost = 0;
        kmd_status s = kmd_hcpe3_pack(&r, 1, nullptr, 0, &needed, &used, &lost, nullptr);
        std::vector<std::uint8_t> out(needed);
        if (s == KMD_ERR_BUFFER)
            s = kmd_hcpe3_pack(&r, 1, out.data(), out.size(), &needed, &used, &lost, nullptr);
        check(s);
        return out;
    }

private:
    kmd_hcpe3_file file_;
};

} // namespace komadori

#endif
