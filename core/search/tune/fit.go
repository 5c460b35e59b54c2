package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"komadori/core/eval"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// data are positions as the fit sees them. Features of all positions lie one after the other.
type data struct {
	features []int32 // feature, or ^feature where it counts for White
	starts   []int   // of the positions in features, and the end
	progress []float32
	side     []float32 // 1 where Black is to move, -1 where White is
	score    []float32 // of the search, for the side to move
	weight   []float32 // how much the position counts
	result   []float32 // 1 won, 0.5 drawn, 0 lost by the side to move
}

func (d *data) n() int { return len(d.side) }

// load reads the positions of a file that a static value can do justice to: not in check, not about to take or promote, not decided.
func (d *data) load(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := packed.CheckLength(raw, len(raw)/packed.PSVSize*packed.PSVSize); err != nil {
		return err
	}
	if len(d.starts) == 0 {
		d.starts = []int{0}
	}
	for ; len(raw) > 0; raw = raw[packed.PSVSize:] {
		var r packed.Record
		if err := packed.DecodePSV((*[packed.PSVSize]byte)(raw), &r); err != nil {
			return err
		}
		p, err := r.Setup.Position()
		if err != nil {
			return err
		}
		result, err := packed.YaneuraOu.Decode(r.Result, p.Turn())
		if err != nil {
			return err
		}
		if !r.Eval.IsCp() || r.Eval > 2500 || r.Eval < -2500 || p.InCheck() || r.Move.IsPromotion() || p.PieceAt(r.Move.To()) != shogi.NoPiece {
			continue
		}
		eval.Features(&p, func(feature, n int) {
			f := int32(feature)
			if n < 0 {
				f = ^f
			}
			d.features = append(d.features, f)
		})
		d.starts = append(d.starts, len(d.features))
		d.progress = append(d.progress, float32(min(eval.Progress(&p), eval.ProgressEnd))/eval.ProgressEnd)
		side, points := float32(1), float32(0.5)
		if p.Turn() == shogi.White {
			side = -1
		}
		switch {
		case result == shogi.Draw:
		case shogi.Color(result) == p.Turn():
			points = 1
		default:
			points = 0
		}
		d.weight = append(d.weight, 1)
		d.side, d.score, d.result = append(d.side, side), append(d.score, float32(r.Eval)), append(d.result, points)
	}
	return nil
}

// A model is the weights as they are learnt. The weight of a place is the sum of three parts: what the man is worth on its square whatever the
// kings, what it is worth at its distance from the king, and a rest that only this pair of squares has; rare pairs know the first two.
type model struct {
	parts   [][2]float32 // learnt: opening, ending
	weights [eval.FeatureCount][2]float32
	parents [eval.PlaceCount][2]int32 // of places: their two other parts; a worth on a square counts against the other side's men
	first   [3]int                    // where squares, distances and rests begin in parts
}

const (
	squareParts   = 14 * 45
	distanceParts = 28 * 17 * 17
)

func newModel() *model {
	m := new(model)
	m.first = [3]int{0, squareParts, squareParts + distanceParts}
	m.parts = make([][2]float32, squareParts+distanceParts+eval.FeatureCount)
	for king := shogi.Square(0); king < 45; king++ {
		for kind := range 28 {
			for sq := shogi.Square(0); sq < 81; sq++ {
				man, own := shogi.Piece(kind+1), sq
				if kind >= 14 {
					man, own = shogi.Piece(kind-14+1)|16, 80-sq
				}
				i := eval.PlaceIndex(king, man, sq)
				df, dr := int(sq.File()-king.File()), int(sq.Rank()-king.Rank())
				m.parents[i] = [2]int32{
					int32(int(man&15-1)*45 + int(min(own, own.MirrorFile()))),
					int32(m.first[1] + (kind*17+df+8)*17 + dr + 8),
				}
			}
		}
	}
	// A start from what everyone knows.
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if t == shogi.King {
			continue
		}
		for sq := range 45 {
			v := float32(shogi.PieceValues[t]) / 2 // counted once in the view of either side
			m.parts[int(t-1)*45+sq] = [2]float32{v, v}
		}
	}
	eval.Hands(func(feature int, t shogi.PieceType) {
		v := 1.05 * float32(shogi.PieceValues[t])
		m.parts[m.first[2]+feature] = [2]float32{v, v}
	})
	m.combine()
	return m
}

// combine makes the weights of the parts.
func (m *model) combine() {
	for i := range m.weights {
		w := m.parts[m.first[2]+i]
		if i < eval.PlaceCount {
			a, b := &m.parts[m.parents[i][0]], &m.parts[m.parents[i][1]]
			sign := m.sign(i)
			w[0] += sign*a[0] + b[0]
			w[1] += sign*a[1] + b[1]
		}
		m.weights[i] = w
	}
}

// sign is how the worth of a man on a square counts in a place: for its own side, against the other.
func (m *model) sign(place int) float32 {
	if place/81%28 >= 14 {
		return -1
	}
	return 1
}

// spread makes the gradient of the parts of that of the weights.
func (m *model) spread(weights, parts [][2]float32) {
	clear(parts[:m.first[2]])
	copy(parts[m.first[2]:], weights)
	for i := range eval.PlaceCount {
		g := weights[i]
		if g == [2]float32{} {
			continue
		}
		sign := m.sign(i)
		a, b := &parts[m.parents[i][0]], &parts[m.parents[i][1]]
		a[0] += sign * g[0]
		a[1] += sign * g[1]
		b[0] += g[0]
		b[1] += g[1]
	}
}

// value is the evaluation of a position for the side to move.
func (m *model) value(d *data, i int) float32 {
	var opening, ending float32
	for _, f := range d.features[d.starts[i]:d.starts[i+1]] {
		if f >= 0 {
			opening += m.weights[f][0]
			ending += m.weights[f][1]
		} else {
			opening -= m.weights[^f][0]
			ending -= m.weights[^f][1]
		}
	}
	return d.side[i]*(opening+(ending-opening)*d.progress[i]) + eval.Tempo
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// A goal is what an evaluation should come near to.
type goal struct {
	scale float32 // centipawns of a factor e in the odds of winning
	trust float32 // how much the search's score counts; the result has the rest
}

func (g *goal) of(d *data, i int) float32 {
	return g.trust*sigmoid(d.score[i]/g.scale) + (1-g.trust)*d.result[i]
}

// loss is the mean cross-entropy of the positions given, less that of the goal itself.
func (m *model) loss(d *data, g *goal, order []int32) float64 {
	sum := 0.0
	entropy := func(p, q float64) float64 { return -p*math.Log(max(q, 1e-9)) - (1-p)*math.Log(max(1-q, 1e-9)) }
	for _, i := range order {
		y, p := float64(g.of(d, int(i))), float64(sigmoid(m.value(d, int(i))/g.scale))
		sum += entropy(y, p) - entropy(y, y)
	}
	return sum / float64(max(len(order), 1))
}

// weigh lets positions count the more the better they can be told at their stage of the game: a difference that drowns in an endgame
// decides an opening. The weight is the inverse of the mean square error at that progress, 1 on average.
func (m *model) weigh(d *data, g *goal) {
	var errors, n [eval.ProgressEnd + 1]float64
	stage := func(i int) int { return int(d.progress[i]*eval.ProgressEnd + 0.5) }
	for i := range d.n() {
		off := float64(sigmoid(m.value(d, i)/g.scale) - sigmoid(d.score[i]/g.scale))
		errors[stage(i)] += off * off
		n[stage(i)]++
	}
	total := 0.0
	for s := range n {
		errors[s] = (errors[s] + 0.01) / (n[s] + 1)
		total += n[s] / errors[s]
	}
	for i := range d.n() {
		d.weight[i] = float32(float64(d.n()) / total / errors[stage(i)])
	}
}

// scaleOf is the scale at which the scores tell the results best.
func scaleOf(d *data) float32 {
	best, at := math.Inf(1), float32(0)
	for scale := float32(150); scale < 2000; scale *= 1.03 {
		sum := 0.0
		for i := range d.score {
			p := sigmoid(d.score[i] / scale)
			sum -= float64(d.result[i])*math.Log(float64(p)) + float64(1-d.result[i])*math.Log(float64(1-p))
		}
		if sum < best {
			best, at = sum, scale
		}
	}
	return at
}

func fit(args []string) error {
	flags := flag.NewFlagSet("fit", flag.ExitOnError)
	out := flags.String("out", "weights.bin", "file to write")
	epochs := flags.Int("epochs", 3, "passes over the data")
	trust := flags.Float64("trust", 0.9, "share of the search's score in the goal; the rest is the result of the game")
	rate := flags.Float64("rate", 1.5, "centipawns of a step at the start; steps shrink to nothing at the end")
	decay := flags.Float64("decay", 0.04, "how fast rests that are not learnt again are forgotten")
	start := flags.String("start", "", "weights to begin with")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return os.WriteFile(*out, newModel().encode(), 0o644)
	}
	d := new(data)
	for _, path := range flags.Args() {
		if err := d.load(path); err != nil {
			return err
		}
	}
	if d.n() < 20 {
		return fmt.Errorf("%d positions to learn from", d.n())
	}
	g := &goal{scaleOf(d), float32(*trust)}
	fmt.Printf("%d positions, scale %.0f\n", d.n(), g.scale)
	m := newModel()
	if *start != "" {
		from, err := readWeights(*start)
		if err != nil {
			return err
		}
		for i, w := range from { // all of it becomes rests
			m.parts[m.first[2]+i] = [2]float32{float32(w.Opening), float32(w.Ending)}
		}
		clear(m.parts[:m.first[2]])
		m.combine()
	}
	// Every twentieth stretch of games is kept back, to see whether what is learnt holds elsewhere.
	var order, kept []int32
	stretch := max(min(2000, d.n()/100), 1)
	for i := range d.n() {
		if i/stretch%20 == 0 {
			kept = append(kept, int32(i))
		} else {
			order = append(order, int32(i))
		}
	}
	m.learn(d, g, order, kept, *epochs, *rate, *decay)
	return os.WriteFile(*out, m.encode(), 0o644)
}

func readWeights(path string) (*[eval.FeatureCount]eval.Weight, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w, ok := eval.Decode(raw)
	if !ok {
		return nil, fmt.Errorf("%s holds %d bytes, want %d", path, len(raw), 4*eval.FeatureCount)
	}
	return &w, nil
}

// learn is Adam (Kingma and Ba, 2014), with a rate that falls to nothing along a cosine.
func (m *model) learn(d *data, g *goal, order, kept []int32, epochs int, rate, decay float64) {
	const batch, beta1, beta2 = 4096, 0.9, 0.99
	random := rand.New(rand.NewPCG(1, 1))
	gradient := make([][2]float32, eval.FeatureCount)
	slope := make([][2]float32, len(m.parts))
	first, second := make([][2]float32, len(m.parts)), make([][2]float32, len(m.parts))
	steps := float64(epochs * ((len(order) + batch - 1) / batch))
	step := 0.0
	fmt.Printf("loss %.5f, of games kept back %.5f\n", m.loss(d, g, order[:min(len(order), 50_000)]), m.loss(d, g, kept))
	for epoch := range epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at < len(order); at += batch {
			part := order[at:min(at+batch, len(order))]
			clear(gradient)
			for _, i := range part {
				m.derive(d, g, int(i), gradient, 1/float32(len(part)))
			}
			m.spread(gradient, slope)
			step++
			eta := rate * (1 + math.Cos(math.Pi*step/steps)) / 2
			c1, c2 := 1-math.Pow(beta1, step), 1-math.Pow(beta2, step)
			for i := range m.parts {
				for k := range 2 {
					s := slope[i][k]
					a := beta1*first[i][k] + (1-beta1)*s
					b := beta2*second[i][k] + (1-beta2)*s*s
					first[i][k], second[i][k] = a, b
					m.parts[i][k] -= float32(eta * float64(a) / c1 / (math.Sqrt(float64(b)/c2) + 1e-9))
					if i >= m.first[2] && i < m.first[2]+eval.PlaceCount {
						m.parts[i][k] *= float32(1 - eta*decay)
					}
				}
			}
			m.combine()
		}
		if epoch == 0 {
			m.weigh(d, g)
		}
		fmt.Printf("epoch %d: loss %.5f, of games kept back %.5f\n", epoch+1, m.loss(d, g, order[:min(len(order), 50_000)]), m.loss(d, g, kept))
	}
}

// derive adds the gradient of a position's loss.
func (m *model) derive(d *data, g *goal, i int, gradient [][2]float32, share float32) {
	s := share * d.weight[i] * (sigmoid(m.value(d, i)/g.scale) - g.of(d, i)) * d.side[i]
	opening, ending := s*(1-d.progress[i]), s*d.progress[i]
	for _, f := range d.features[d.starts[i]:d.starts[i+1]] {
		if f >= 0 {
			gradient[f][0] += opening
			gradient[f][1] += ending
		} else {
			gradient[^f][0] -= opening
			gradient[^f][1] -= ending
		}
	}
}

func (m *model) encode() []byte {
	var w [eval.FeatureCount]eval.Weight
	round := func(x float32) int16 { return int16(math.Round(float64(x))) }
	for i := range w {
		w[i] = eval.Weight{Opening: round(m.weights[i][0]), Ending: round(m.weights[i][1])}
	}
	return eval.Encode(&w)
}
