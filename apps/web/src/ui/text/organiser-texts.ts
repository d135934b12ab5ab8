/** The texts of organisers and administrators; `routes.tsx` loads them before a screen that needs them. */
import * as texts from './texts.tsx'

type Key = texts.TextKey | texts.OrganiserTextKey

export const t: texts.Translate<Key> = texts.t as texts.Translate<Key>
export const useTranslation = texts.useTranslation as () => texts.Translation<Key>
export const Trans = texts.Trans<Key>
