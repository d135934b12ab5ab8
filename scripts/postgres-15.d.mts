export interface Postgres15 {
  readonly data: string
  readonly bin: string
  readonly owner: { readonly uid: number; readonly gid: number }
}
export function withPostgres15(
  work: (url: string, server: Postgres15) => Promise<unknown>,
  skip: (name: string, reason: string) => unknown,
): Promise<unknown>
