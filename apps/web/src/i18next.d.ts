import 'i18next'
import type texts from '../locales/en_US.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof texts }
  }
}
