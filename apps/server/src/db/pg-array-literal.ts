/** For hot paths, without the driver's escaping: the values must be numbers, ids, hashes or constants, not user input. */
export const pgArrayLiteral = (values: readonly (number | string)[]): string => `{${values.join(',')}}`
