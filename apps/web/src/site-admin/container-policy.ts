/** The form of the container policy: its fields, and what is wrong with them. */
import type { SiteConfig, SiteConfigChange } from '@vexil/contract/settings'
import { containerLife } from '@vexil/core/limits'

type Policy = SiteConfig['containerPolicy']
type Times = 'defaultLifetime' | 'extensionDuration' | 'renewalWindow'

export interface PolicyFields extends Pick<Policy, 'autoDestroyOnLimitReached' | 'destroyOnSolve' | 'flagVariables'> {
  /** Minutes; a text while it is no number. */
  readonly defaultLifetime: number | string
  readonly extensionDuration: number | string
  readonly renewalWindow: number | string
}

export type WrongPolicy = Times | 'flagVariables'

const { lifetimeMin, lifetimeMax, renewalWindowMin, renewalWindowMax } = containerLife

/** Minutes that are taken. */
export const policyRange: Readonly<Record<Times, { readonly min: number; readonly max: number }>> = {
  defaultLifetime: { min: lifetimeMin, max: lifetimeMax },
  extensionDuration: { min: lifetimeMin, max: lifetimeMax },
  renewalWindow: { min: renewalWindowMin, max: renewalWindowMax },
}

export const policyFields = ({ maxExerciseContainerCountPerUser: _, ...fields }: Policy): PolicyFields => fields

/** Fields that hold the saving back, in the order of the form. */
export function wrongPolicy(fields: PolicyFields): WrongPolicy[] {
  const wrong: WrongPolicy[] = []
  for (const name of ['defaultLifetime', 'extensionDuration', 'renewalWindow'] as const) {
    const [value, { min, max }] = [fields[name], policyRange[name]]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) wrong.push(name)
  }
  const names = fields.flagVariables.split(',').map((name) => name.trim())
  if (names.some((name) => name !== '' && !/^[A-Za-z_]\w*$/.test(name))) wrong.push('flagVariables')
  return wrong
}

/** The changed fields alone, so that nobody else's changes are undone. */
export const policyBody = (fields: PolicyFields, changed: readonly (keyof PolicyFields)[]): SiteConfigChange => ({
  containerPolicy: Object.fromEntries(changed.map((name) => [name, fields[name]])),
})
