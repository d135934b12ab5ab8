/**
 * The text of a PostgreSQL array of what needs no quotes in it: numbers, ids, hashes and words of our own, nothing that anybody typed. For
 * lists on hot paths: the driver would look into each element for signs to escape.
 */
export const pgArrayLiteral = (values: readonly (number | string)[]): string => `{${values.join(',')}}`
