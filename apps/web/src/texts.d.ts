/** Filled in by text-areas.ts. */
declare module 'texts:*' {
  export interface Texts {
    readonly [name: string]: string | Texts
  }
  const texts: Texts
  export default texts
}
