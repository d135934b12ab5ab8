/** Tests what a container reaches, with one that runs the commands it receives (the image `shell`). */
import { talkTo } from './engine.suite.ts'

export interface Place {
  readonly host: string
  readonly port: number
}

/** Which of these answer to the container at `from`. All are tried at the same time, in one connection: the queue of its listener is short. */
export async function reaches(from: Place, places: readonly Place[]): Promise<boolean[]> {
  // A shell and a web server both answer this.
  const words = `printf 'GET / HTTP/1.0\\n\\necho reached\\n'`
  const probes = places.map(({ host, port }, i) => `${words} | nc -w 2 ${host} ${port} > /tmp/${i} 2> /dev/null &`)
  const read = places.map((_, i) => `[ -s /tmp/${i} ] && echo ${i} reached`)
  const answer = await talkTo(from, [...probes, 'wait', ...read, ''].join('\n'))
  return places.map((_, i) => answer.includes(`${i} reached\n`))
}

/** Prints what was reached, line by target and column by container. */
export function printTable(columns: readonly string[], lines: readonly (readonly string[])[]): void {
  process.stdout.write([['', ...columns], ...lines].map((line) => `${line.join(' | ')}\n`).join(''))
}
