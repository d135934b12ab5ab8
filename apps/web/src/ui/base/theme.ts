import { type CSSVariablesResolver, createTheme, type MantineThemeOverride } from '@mantine/core'
import { brand, brandColour, dark, light, type Tokens } from './colours.ts'
import { isColour, type Ramp, rampOf, type Steps } from './ramp.ts'
import { components, variantColours } from './theme-components.ts'

/** Semantic names of neutral colours; the same in both schemes. */
const meanings: Tokens = {
  page: 'var(--g-1)',
  surface: 'var(--g-0)',
  sunken: 'var(--g-2)',
  line: 'var(--g-3)',
  edge: 'var(--g-5)',
  ink: 'var(--g-9)',
  'ink-2': 'var(--g-7)',
  'ink-3': 'var(--g-6)',
  'accent-ink': '#ffffff',
  'accent-text': 'var(--a-7)',
  'accent-tint': 'var(--a-0)',
  'accent-tint-2': 'var(--a-1)',
}

const latin = '"Inter Variable", Inter, -apple-system, "Segoe UI", Roboto, "Helvetica Neue"'
const measures: Tokens = {
  sans: `${latin}, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif`,
  'sans-ja': `${latin}, "Hiragino Sans", "Yu Gothic UI", "Noto Sans CJK JP", "Noto Sans JP", sans-serif`,
  mono: '"JetBrains Mono Variable", "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace',
  't-1': '12.5px',
  't-2': '15px',
  't-3': '18px',
  't-4': '21.6px',
  't-5': '26px',
  't-6': '31px',
  't-clock': '54px',
  't-mono': '.87em',
  'lh-tight': '1.2',
  'lh-ui': '1.4',
  'lh-read': '1.65',
  'w-text': '400',
  'w-name': '500',
  'w-head': '600',
  's-1': '4px',
  's-2': '8px',
  's-3': '12px',
  's-4': '16px',
  's-5': '24px',
  's-6': '32px',
  's-7': '48px',
  's-8': '64px',
  'r-1': '3px',
  'r-2': '6px',
  'm-mark': '2000ms',
  ease: 'cubic-bezier(.2, 0, 0, 1)',
}

/** Our names of the variables of Mantine's styles. */
const mantineNames: Tokens = {
  body: 'page',
  text: 'ink',
  bright: 'ink',
  dimmed: 'ink-2',
  error: 'bad',
  success: 'ok',
  placeholder: 'ink-3',
  default: 'surface',
  'default-hover': 'sunken',
  'default-color': 'ink',
  'default-border': 'edge',
  disabled: 'sunken',
  'disabled-color': 'ink-3',
  'disabled-border': 'line',
  'accent-filled': 'accent',
  'accent-filled-hover': 'accent-hover',
  'accent-light': 'accent-tint',
  'accent-light-hover': 'accent-tint-2',
  'accent-light-color': 'accent-text',
  'accent-outline': 'accent-text',
}

const named = (tokens: Tokens) => Object.fromEntries(Object.entries(tokens).map(([name, value]) => [`--${name}`, value]))
const steps = (ramp: Steps) => Object.fromEntries(ramp.map((colour, step) => [`--a-${step}`, colour]))
const forMantine = Object.fromEntries(
  Object.entries(mantineNames).map(([name, own]) => [`--mantine-color-${name}`, `var(--${own})`]),
)
const row = (...names: string[]) => names.map((name) => `var(--${name})`) as unknown as Steps

/** Accent steps of a colour in both schemes; the platform's own for anything but `#RRGGBB`. */
export function accentOf(colour: string | null | undefined): Ramp {
  if (!colour || !isColour(colour) || colour.toLowerCase() === brandColour) return brand
  return rampOf(colour, { like: brand, ink: '#ffffff', darkTint: dark['g-2'] as string })
}

export const writeVariables: CSSVariablesResolver = (theme) => {
  const accent = (theme.other.accent as Ramp | undefined) ?? brand
  return {
    variables: named({ ...meanings, ...measures }),
    light: { ...named(light), ...steps(accent.light), ...forMantine },
    dark: { ...named(dark), ...steps(accent.dark), ...forMantine },
  }
}

export function makeTheme(colour?: string | null): MantineThemeOverride {
  return createTheme({
    primaryColor: 'accent',
    primaryShade: { light: 7, dark: 4 },
    white: '#ffffff',
    black: '#141b26',
    colors: {
      accent: row('a-0', 'a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7', 'a-8', 'a-9'),
      gray: row('g-1', 'g-2', 'g-2', 'g-3', 'g-4', 'g-5', 'g-6', 'g-7', 'g-8', 'g-9'),
      dark: row('g-9', 'g-7', 'g-6', 'g-6', 'g-3', 'g-2', 'g-0', 'g-1', 'g-1', 'g-1'),
    },
    fontFamily: 'inherit',
    fontFamilyMonospace: 'var(--mono)',
    fontSizes: { xs: 'var(--t-1)', sm: 'var(--t-2)', md: 'var(--t-3)', lg: 'var(--t-4)', xl: 'var(--t-5)' },
    lineHeights: { xs: '1.4', sm: '1.4', md: '1.4', lg: '1.2', xl: '1.2' },
    headings: { fontFamily: 'inherit', fontWeight: '600' },
    spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
    radius: { xs: '3px', sm: '3px', md: '3px', lg: '6px', xl: '6px' },
    defaultRadius: 'sm',
    shadows: { xs: 'none', sm: 'none', md: 'var(--float)', lg: 'var(--float)', xl: 'var(--float)' },
    breakpoints: { xs: '30em', sm: '48em', md: '64em', lg: '74em', xl: '90em' },
    respectReducedMotion: true,
    cursorType: 'pointer',
    variantColorResolver: variantColours,
    components,
    other: { accent: accentOf(colour) },
  })
}
