package usi

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"komadori/core/board"
	"komadori/core/book"
	"komadori/core/fault"
	"komadori/core/search"
	"komadori/core/shogi"
)

// settings are the values of the options.
type settings struct {
	ponder        bool
	multiPV       int
	threads       int
	hashMB        int
	minimum       int // milliseconds
	delay         int
	hardDelay     int
	slowMover     int
	resignValue   int
	maxMoves      int
	enteringKing  shogi.EnteringKingRule
	allLegalMoves bool
	ownBook       bool
	bookDir       string
	bookFile      string
	ignoreBookPly bool
	flippedBook   bool
}

func (c *Config) defaults() settings {
	return settings{
		multiPV: 1, threads: 1, hashMB: min(64, c.MaxHashMB), delay: 20, hardDelay: 40, slowMover: 100, resignValue: noResign, maxMoves: 500,
		enteringKing: shogi.Cs24Point, ownBook: true, bookDir: "book", bookFile: noBook, ignoreBookPly: true, flippedBook: true,
	}
}

const (
	noBook   = "no_book"
	noResign = 99999
	mateCp   = 30000 // what a forced mate counts as beside ResignValue
	maxTime  = 1_000_000_000
)

// enteringKingRules are YaneuraOu's names, by rule.
var enteringKingRules = []string{"NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule"}

// An option is one setting as USI shows it. One of the pointers is set.
type option struct {
	name     string
	alias    string // another name that is understood, but not shown
	check    *bool
	spin     *int
	min, max int
	text     *string
	choice   *shogi.EnteringKingRule
}

// options are those of the engine over some settings.
func (e *engine) options(s *settings) []option {
	return []option{
		{name: "USI_Ponder", check: &s.ponder},
		{name: "USI_Hash", alias: "Hash", spin: &s.hashMB, min: 1, max: e.config.MaxHashMB},
		{name: "Threads", spin: &s.threads, min: 1, max: e.config.MaxThreads},
		{name: "MultiPV", alias: "USI_MultiPV", spin: &s.multiPV, min: 1, max: search.MaxMultiPV},
		{name: "MinimumThinkingTime", spin: &s.minimum, max: maxTime},
		{name: "NetworkDelay", spin: &s.delay, max: maxTime},
		{name: "NetworkDelay2", spin: &s.hardDelay, max: maxTime},
		{name: "SlowMover", spin: &s.slowMover, min: 1, max: 1000},
		{name: "ResignValue", spin: &s.resignValue, max: noResign},
		{name: "MaxMovesToDraw", spin: &s.maxMoves, max: maxTime},
		{name: "EnteringKingRule", choice: &s.enteringKing},
		{name: "GenerateAllLegalMoves", check: &s.allLegalMoves},
		{name: "USI_OwnBook", check: &s.ownBook},
		{name: "BookDir", text: &s.bookDir},
		{name: "BookFile", text: &s.bookFile},
		{name: "IgnoreBookPly", check: &s.ignoreBookPly},
		{name: "FlippedBook", check: &s.flippedBook},
	}
}

// introduce answers "usi".
func (e *engine) introduce() {
	e.out.say("id name " + e.config.Name)
	e.out.say("id author " + e.config.Author)
	unset := e.config.defaults()
	for _, o := range e.options(&unset) {
		e.out.say("option name " + o.name + " type " + o.kind())
	}
	e.out.say("usiok")
}

// kind is the type with what belongs to it.
func (o *option) kind() string {
	switch {
	case o.check != nil:
		return fmt.Sprintf("check default %t", *o.check)
	case o.spin != nil:
		return fmt.Sprintf("spin default %d min %d max %d", *o.spin, o.min, o.max)
	case o.choice != nil:
		return "combo default " + enteringKingRules[*o.choice] + " var " + strings.Join(enteringKingRules, " var ")
	}
	return "string default " + *o.text
}

// setOption reads "name X value Y". Numbers out of range are taken to its ends. What the search is made with takes effect at the next isready or go.
func (e *engine) setOption(text string) error {
	const op = "setoption"
	name, found := strings.CutPrefix(text, "name ")
	if !found {
		return fault.New(fault.Parse, op, "%.60q, want name NAME value VALUE", text)
	}
	name, value := cut(name)
	word, value := cut(value)
	if word != "" && word != "value" {
		return fault.New(fault.Parse, op, "%.60q after the name, want value", word)
	}
	for _, o := range e.options(&e.settings) {
		if strings.EqualFold(o.name, name) || o.alias != "" && strings.EqualFold(o.alias, name) {
			return o.set(value)
		}
	}
	return fault.New(fault.InvalidValue, op, "there is no option %.60q", name)
}

func (o *option) set(value string) error {
	const op = "setoption"
	switch {
	case o.check != nil:
		switch strings.ToLower(value) {
		case "true":
			*o.check = true
		case "false":
			*o.check = false
		default:
			return fault.New(fault.InvalidValue, op, "%s %.60q, want true or false", o.name, value)
		}
	case o.spin != nil:
		n, err := number(value)
		if err != nil {
			return fault.New(fault.InvalidValue, op, "%s %.60q, want a number from %d to %d", o.name, value, o.min, o.max)
		}
		*o.spin = max(o.min, min(n, o.max))
	case o.choice != nil:
		rule, err := shogi.ParseEnteringKingRule(value)
		if err != nil {
			return fault.New(fault.InvalidValue, op, "%s %.60q, want one of %s", o.name, value, strings.Join(enteringKingRules, " "))
		}
		*o.choice = rule
	default:
		*o.text = value
		if value == "<empty>" {
			*o.text = ""
		}
	}
	return nil
}

// number reads an integer; one that does not fit is taken to the end of what does.
func number(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && n == 0 {
		return 0, err
	}
	return int(n), nil
}

// searchOptions are the settings as the search wants them.
func (e *engine) searchOptions() search.Options {
	s := &e.settings
	return search.Options{
		HashMB: s.hashMB, Threads: s.threads, AllMoves: s.allLegalMoves,
		Rules: board.Rules{Repetition: 4, EnteringKing: s.enteringKing, MoveLimit: s.maxMoves},
		Time: search.TimeOptions{
			Minimum: milliseconds(s.minimum), Delay: milliseconds(s.delay), HardDelay: milliseconds(s.hardDelay), SlowMover: s.slowMover,
		},
	}
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// ready gives the search its settings and its memory, and opens the book. While the engine thinks it changes nothing.
func (e *engine) ready() {
	if e.task != nil {
		return
	}
	changed, err := e.applySettings()
	if err != nil {
		e.note("%v", err)
	}
	if changed { // the search takes its memory when it first needs it: not on the clock of the first move
		_, _ = e.searcher.Search(board.NewGame(), search.Limits{Depth: 1}, nil, nil)
		_ = e.searcher.Clear()
	}
	e.openBook()
}

// applySettings makes the searcher fit the options. When that fails, as for a table that memory does not hold, the one before stays.
func (e *engine) applySettings() (changed bool, err error) {
	wanted := e.searchOptions()
	if e.searcher != nil && sameOptions(e.applied, wanted) {
		return false, nil
	}
	if e.searcher == nil || e.applied.HashMB != wanted.HashMB {
		if !hasMemory(wanted.HashMB) {
			have := e.config.defaults().hashMB
			if e.searcher != nil {
				have = e.applied.HashMB
			}
			e.note("no memory for USI_Hash %d, %d instead", wanted.HashMB, have)
			e.settings.hashMB, wanted.HashMB = have, have
		}
	}
	if e.searcher == nil {
		e.searcher, err = search.New(wanted)
	} else {
		err = e.searcher.SetOptions(wanted)
	}
	if err != nil {
		return false, err
	}
	e.applied = wanted
	return true, nil
}

func sameOptions(a, b search.Options) bool {
	return a.HashMB == b.HashMB && a.Threads == b.Threads && a.AllMoves == b.AllMoves && a.Rules == b.Rules && a.Time == b.Time
}

// openBook opens the book that the options name, unless it is open.
func (e *engine) openBook() {
	s := &e.settings
	asked := ""
	if s.ownBook && s.bookFile != "" && s.bookFile != noBook {
		asked = fmt.Sprint(filepath.Join(s.bookDir, s.bookFile), "\n", s.ignoreBookPly, s.flippedBook)
	}
	if asked == e.bookAsked {
		return
	}
	e.closeBook()
	e.bookAsked = asked
	if asked == "" {
		return
	}
	path := filepath.Join(s.bookDir, s.bookFile)
	if filepath.IsAbs(s.bookFile) {
		path = s.bookFile
	}
	b, err := book.Open(path, book.Options{IgnorePly: s.ignoreBookPly, Flip: s.flippedBook})
	if err != nil {
		e.note("no book: %v", err)
		return
	}
	e.book = b
	if n := b.Len(); n >= 0 {
		e.note("book %s: %s, %d positions", path, b.Format(), n)
	} else {
		e.note("book %s: %s, searched on disk", path, b.Format())
	}
}

func (e *engine) closeBook() {
	if e.book != nil {
		_ = e.book.Close() // nothing was written
		e.book = nil
	}
	e.bookAsked = ""
}
