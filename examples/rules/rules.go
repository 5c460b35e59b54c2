package main

// A rule is shown by moves that are legal and moves that are not.
type rule struct {
	name  string
	cases []example
}

type example struct {
	sfen  string
	moves []question
}

type question struct {
	usi   string
	legal bool
	why   string
}

var rules = []rule{
	{"A piece may promote when it moves into, within or out of the far three ranks", []example{
		{"4k4/9/9/4P4/9/9/9/9/4K4 b - 1", []question{
			{"5d5c", true, "entering without promotion"},
			{"5d5c+", true, "entering with promotion"},
		}},
		{"k8/9/9/9/4P4/9/9/9/4K4 b - 1", []question{{"5e5d+", false, "not there yet"}}},
		{"k8/9/4S4/9/9/9/9/9/4K4 b - 1", []question{{"5c4d+", true, "leaving"}, {"5c4d", true, "leaving without promotion"}}},
		{"4k4/9/9/9/9/4p4/9/9/K8 w - 1", []question{{"5f5g+", true, "White's far ranks are g, h and i"}}},
	}},
	{"A piece that could never move again must promote", []example{
		{"k8/4P4/9/9/9/9/9/9/4K4 b - 1", []question{
			{"5b5a", false, "a pawn on the last rank"},
			{"5b5a+", true, "a pawn on the last rank, promoted"},
		}},
		{"k8/9/9/9/4L4/9/9/9/4K4 b - 1", []question{
			{"5e5a", false, "a lance on the last rank"},
			{"5e5a+", true, "a lance on the last rank, promoted"},
			{"5e5b", true, "a lance on the rank before it can still move"},
		}},
		{"k8/9/9/4N4/9/9/9/9/4K4 b - 1", []question{
			{"5d4b", false, "a knight on the last two ranks"},
			{"5d4b+", true, "a knight on the last two ranks, promoted"},
		}},
		{"k8/9/9/9/4N4/9/9/9/4K4 b - 1", []question{{"5e4c", true, "a knight on the third rank"}}},
		{"k8/9/4S4/9/9/9/9/9/4K4 b - 1", []question{{"5c5b", true, "a silver never must"}}},
	}},
	{"Gold, king and promoted pieces never promote", []example{
		{"k8/9/9/4G4/9/9/9/9/4K4 b - 1", []question{{"5d5c", true, "a gold"}, {"5d5c+", false, "a gold, promoting"}}},
		{"k8/9/9/4K4/9/9/9/9/9 b - 1", []question{{"5d5c+", false, "a king, promoting"}}},
		{"k8/4+P4/9/9/9/9/9/9/4K4 b - 1", []question{
			{"5b5a", true, "a promoted pawn goes to the last rank as it is"},
			{"5b5a+", false, "a promoted pawn, promoting again"},
		}},
		{"k8/9/4+R4/9/9/9/9/9/4K4 b - 1", []question{{"5c5a", true, "a dragon"}, {"5c5a+", false, "a dragon, promoting again"}}},
	}},
	{"Nifu (二歩): no second unpromoted pawn on a file", []example{
		{"4k4/9/9/9/9/9/4P4/9/4K4 b P 1", []question{
			{"P*5e", false, "a pawn of one's own stands on file 5"},
			{"P*4e", true, "the other files are free"},
		}},
		{"4k4/9/9/9/9/9/4+P4/9/4K4 b P 1", []question{{"P*5e", true, "a promoted pawn does not count"}}},
		{"4k4/9/4p4/9/9/9/9/9/4K4 b P 1", []question{{"P*5e", true, "nor does one of the other side"}}},
	}},
	{"A piece may not be dropped where it could never move", []example{
		{"k8/9/9/9/9/9/9/9/4K4 b PLN 1", []question{
			{"P*5a", false, "a pawn on the last rank"},
			{"L*5a", false, "a lance on the last rank"},
			{"N*5a", false, "a knight on the last rank"},
			{"N*5b", false, "a knight on the rank before it"},
			{"N*5c", true, "a knight on the third rank"},
			{"L*5b", true, "a lance on the second rank"},
			{"P*5i", false, "an occupied square"},
			{"S*5e", false, "a silver that is not in hand"},
		}},
		{"k8/9/9/9/9/9/9/9/8K w pln 1", []question{
			{"P*5i", false, "White's last rank is i"},
			{"N*5h", false, "and its last two are h and i"},
			{"N*5g", true, "a white knight on rank g"},
		}},
	}},
	{"Uchifuzume (打ち歩詰め): a dropped pawn may not give mate", []example{
		{"7lk/9/7G1/9/9/9/9/9/4K4 b P 1", []question{{"P*1b", false, "mate by the dropped pawn"}}},
		{"7lk/9/7GP/9/9/9/9/9/4K4 b - 1", []question{{"1c1b", true, "the same mate by a pawn of the board"}}},
		{"7lk/9/7G1/9/9/9/9/9/4K4 b G 1", []question{{"G*1b", true, "the same mate by a dropped gold"}}},
		{"8k/9/7G1/9/9/9/9/9/4K4 b P 1", []question{{"P*1b", true, "check, but the king escapes to 2a"}}},
		{"7sk/9/7G1/9/9/9/9/9/4K4 b P 1", []question{{"P*1b", true, "check, but the silver takes the pawn"}}},
		{"R6sk/9/7G1/9/9/9/9/9/4K4 b P 1", []question{{"P*1b", false, "the silver is pinned and cannot take: mate"}}},
	}},
	{"One's own king may not stand in check after a move", []example{
		{"4k4/4r4/9/9/9/9/9/4G4/4K4 b - 1", []question{
			{"5h4h", false, "a pinned gold leaves the file"},
			{"5h5g", true, "a pinned gold stays on it"},
		}},
		{"4k4/9/9/9/9/9/9/3r5/4K4 b - 1", []question{
			{"5i5h", false, "the king steps into the rook's rank"},
			{"5i6h", true, "the king takes the rook"},
		}},
		{"4k4/9/9/9/4r4/9/9/9/P3K4 b G 1", []question{
			{"9i9h", false, "a check that is not answered"},
			{"G*5f", true, "a check that is blocked"},
		}},
	}},
}
