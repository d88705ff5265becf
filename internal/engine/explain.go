package engine

import "context"

// Explain recalls as Recall does and leaves no trace: nothing is counted or recorded.
// It is for whoever wants to know how a recall goes.
func (e *Engine) Explain(ctx context.Context, r RecallRequest) (RecallAnswer, error) {
	answer, err := e.ask(ctx, e.cfg, r)
	if err != nil {
		return RecallAnswer{}, err
	}
	return answer, nil
}
