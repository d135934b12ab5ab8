/**
 * The text of a PostgreSQL array. The values must not need quotes: numbers, ids, hashes and constants, no user input. For hot
 * paths: the driver would search each element for characters to escape.
 */
export const pgArrayLiteral = (values: readonly (number | string)[]): string => `{${values.join(',')}}`
