"""Learn to catch a falling ball: a deep Q-network plays a game that this file defines.

python train.py                     under a minute on two cores
python train.py --mode pynative     the same step by step
"""

import copy
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, curve, sheet, train

import minds as ms
from minds import models, nn
from minds.models.reinforcement.dqn import DQNLoss, Replay

EXPECTED = 0.95  # share of balls caught that a run with the default settings must reach


class Catch:
    """A ball falls through a field of 10×6 and drifts at the walls; the racket below moves left, stays or
    moves right. At the end the reward is 1 for a catch and -1 for a miss.
    """

    actions, height, width = 3, 10, 6

    def __init__(self, rng: np.random.Generator):
        self.rng = rng

    def reset(self) -> np.ndarray:
        self.y, self.x, self.racket = 0, *self.rng.integers(0, self.width, 2)
        self.drift = self.rng.integers(-1, 2)
        return self.seen()

    def seen(self) -> np.ndarray:
        field = np.zeros((2, self.height, self.width), np.float32)
        field[0, self.y, self.x] = field[1, -1, self.racket] = 1
        return np.append(field, self.drift).astype(np.float32)

    def picture(self) -> np.ndarray:
        field = self.seen()[:-1].reshape(2, self.height, self.width)
        return 2 * field.max(0) - 1

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        self.racket = int(np.clip(self.racket + action - 1, 0, self.width - 1))
        self.y += 1
        if not 0 <= self.x + self.drift < self.width:
            self.drift = -self.drift
        self.x += self.drift
        ended = self.y == self.height - 1
        return self.seen(), float((self.x == self.racket) * 2 - 1) if ended else 0.0, ended


def transitions(net, game: Catch, replay: Replay, steps: int):
    """Play on, with ever fewer random moves, and draw a batch behind each fourth move."""
    rng, seen, played = game.rng, game.reset(), 0
    while True:
        for _ in range(4):
            random = max(0.05, 1 - played / (2 * steps))
            action = int(rng.integers(game.actions))
            if rng.random() > random:
                action = int(net(ms.Tensor(seen[None])).asnumpy().argmax())
            after, reward, ended = game.step(action)
            replay.add(seen, action, reward, after, ended)
            seen = game.reset() if ended else after
            played += 1
        if len(replay) >= 100:
            yield replay.draw(32)


def main() -> None:
    args = arguments(__file__, __doc__, steps=6000)
    game = Catch(np.random.default_rng(1))
    size = len(game.reset())
    net = models.dqn(actions=game.actions, seen=size, hidden=(64, 64))
    loss = DQNLoss(net, copy.deepcopy(net), 0.95)
    inner = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 1e-3)).set_train()
    done = 0

    def step(*batch) -> float:
        nonlocal done
        done += 1
        if done % 50 == 0:
            loss.follow()
        return float(inner(*batch))

    print(f"a field of {game.height}×{game.width}, {args.mode} mode")
    losses = train(step, transitions(net, game, Replay(5000), args.steps), args.steps)
    curve(losses, os.path.join(args.out, "loss.png"), "loss")

    net.set_train(False)
    caught, games, film = 0, 200, []
    for _ in range(games):
        seen, ended = game.reset(), False
        film.append([game.picture()])
        while not ended:
            seen, reward, ended = game.step(int(net(ms.Tensor(seen[None])).asnumpy().argmax()))
            film[-1].append(game.picture())
        caught += reward > 0
    path = os.path.join(args.out, "games.png")
    sheet(film[:4], path)
    share = caught / games
    print(f"caught {share:.4f} of {games} balls; four games in {path}")
    if args.steps == 6000 and share < EXPECTED:
        sys.exit(f"expected {EXPECTED} and more")


if __name__ == "__main__":
    main()
