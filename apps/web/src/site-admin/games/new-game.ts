export interface NewGame {
  readonly title: string
  readonly start: number
  readonly end: number
}

const twoHours = 7_200_000

/** Defaults: the next full hour, tomorrow in the zone of the device, for two hours. */
export function newGame(now: number): NewGame {
  const at = new Date(now)
  const start = new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1, at.getHours() + 1).getTime()
  return { title: '', start, end: start + twoHours }
}

/** A start after the end moves the end. */
export const withStart = (game: NewGame, start: number): NewGame => ({
  ...game,
  start,
  end: start >= game.end ? start + twoHours : game.end,
})

export const wrongOf = ({ title, start, end }: NewGame) => ({ title: title.trim() === '', end: !(end > start) })
