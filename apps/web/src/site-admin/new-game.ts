/** The rules of the dialog for a new game (AG-2). */
export interface NewGame {
  readonly title: string
  readonly start: number
  readonly end: number
}

const twoHours = 7_200_000

/** Now, on the full second, and two hours later. */
export function newGame(now: number): NewGame {
  const start = now - (now % 1000)
  return { title: '', start, end: start + twoHours }
}

/** A start that passes the end takes the end with it. */
export const withStart = (game: NewGame, start: number): NewGame => ({
  ...game,
  start,
  end: start >= game.end ? start + twoHours : game.end,
})

export const wrongOf = ({ title, start, end }: NewGame) => ({ title: title.trim() === '', end: end <= start })
