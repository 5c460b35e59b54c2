package usi

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type blocked struct{ release chan struct{} }

func (b blocked) Write(p []byte) (int, error) {
	<-b.release
	return len(p), nil
}

// Of info lines that nobody reads only so many are kept; answers are kept all.
func TestInfoLinesGetLost(t *testing.T) {
	b := blocked{make(chan struct{})}
	o := newOutput(b)
	waiting := func() int {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		return len(o.waiting)
	}
	o.say("first")
	for waiting() > 0 { // the writer has it, and is blocked
		time.Sleep(time.Millisecond)
	}
	for i := range 50_000 {
		o.info("info nodes " + strconv.Itoa(i))
		if i%100 == 0 {
			o.say("bestmove 7g7f")
		}
	}
	o.mutex.Lock()
	answers, infos := 0, 0
	for _, line := range o.waiting {
		if line == "bestmove 7g7f" {
			answers++
		} else {
			infos++
		}
	}
	o.mutex.Unlock()
	assert.Equal(t, 500, answers)
	assert.LessOrEqual(t, infos, fullOfInfo)
	assert.Greater(t, infos, 1000)
	close(b.release)
	require.NoError(t, o.close())
}

// Whatever is set, numbers stay within their range, and "usi" goes on to tell what they were at first.
func TestOptionsStayInRange(t *testing.T) {
	e := engine{config: Config{MaxHashMB: 8, MaxThreads: 4}}
	e.settings = e.config.defaults()
	kinds := map[string]string{}
	for _, o := range e.options(&e.settings) {
		kinds[o.name] = o.kind()
	}
	for _, o := range e.options(&e.settings) {
		if o.spin == nil {
			continue
		}
		for value, want := range map[string]int{"-99999999999999999999": o.min, "99999999999999999999": o.max, "-1": o.min, strconv.Itoa(o.max): o.max} {
			require.NoError(t, e.setOption("name "+o.name+" value "+value))
			assert.Equal(t, want, *o.spin, "%s %s", o.name, value)
		}
	}
	unset := e.config.defaults()
	for _, o := range e.options(&unset) {
		assert.Equal(t, kinds[o.name], o.kind())
	}
}
