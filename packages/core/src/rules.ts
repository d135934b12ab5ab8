/** The rules and their codes. The contract defines the status and the texts of each code. */
import type { RuleError } from './refusals.ts'

export * from './refusals.ts'

// In a separate file, because a file that imports its own type is an import cycle.
type Rules = typeof import('./refusals.ts')
type CodeOf<Rule> = Rule extends { readonly code: infer Code extends string } ? Code : never

/** All codes. Derived from the classes, so that a missing entry for a new rule does not compile. */
export type RuleCode = { [Name in keyof Rules]: CodeOf<Rules[Name]> }[keyof Rules]

export type RuleData<Code extends RuleCode> = {
  [Name in keyof Rules]: Rules[Name] extends { readonly code: Code; new (...data: never[]): RuleError<Code, infer Data> }
    ? Data
    : never
}[keyof Rules]
