/** Statistics of several rounds, and their text form. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
export function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}
export function us(value: number): string {
  return `${(value * 1000).toFixed(0)} us`
}
