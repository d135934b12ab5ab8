/** The rules of the product and their codes. The contract gives each code its status and its text in every language. */
import type { RuleError } from './refusals.ts'

export * from './refusals.ts'

// The classes are in a separate file because a file that reads its own type would be an import cycle.
type Rules = typeof import('./refusals.ts')
type CodeOf<Rule> = Rule extends { readonly code: infer Code extends string } ? Code : never

/** Every code there is. Derived from the classes, so that a new rule is missing wherever codes are looked up. */
export type RuleCode = { [Name in keyof Rules]: CodeOf<Rules[Name]> }[keyof Rules]

/** What the error of a code carries. */
export type RuleData<Code extends RuleCode> = {
  [Name in keyof Rules]: Rules[Name] extends { readonly code: Code; new (...data: never[]): RuleError<Code, infer Data> }
    ? Data
    : never
}[keyof Rules]
