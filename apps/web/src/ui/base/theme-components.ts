/** Defaults of Mantine's components; their styles are in `controls.module.css`. */
import type { MantineThemeComponents, VariantColorsResolver } from '@mantine/core'
import { t } from '../text/texts.tsx'
import c from './controls.module.css'

type Turn = 'first' | 'previous' | 'next' | 'last'

/** Filled, default, outline and subtle, in the accent or in red (`color="bad"`). */
export const variantColours: VariantColorsResolver = ({ variant, color }) => {
  const harmful = color === 'bad'
  const text = harmful ? 'var(--bad)' : 'var(--ink)'
  switch (variant) {
    case 'filled':
      return harmful
        ? { background: 'var(--bad)', hover: 'var(--bad-hover)', color: 'var(--bad-ink)', border: '1px solid var(--bad)' }
        : {
            background: 'var(--accent)',
            hover: 'var(--accent-hover)',
            color: 'var(--accent-ink)',
            border: '1px solid transparent',
          }
    case 'subtle':
    case 'transparent':
      return { background: 'transparent', hover: 'var(--sunken)', color: text, border: '1px solid transparent' }
    case 'outline':
      return {
        background: 'transparent',
        hover: harmful ? 'var(--bad-tint)' : 'var(--sunken)',
        color: text,
        border: `1px solid ${harmful ? 'var(--bad)' : 'var(--edge)'}`,
      }
    default:
      return { background: 'var(--surface)', hover: 'var(--sunken)', color: text, border: '1px solid var(--edge)' }
  }
}

const input = { classNames: { wrapper: c.inputWrapper, input: c.input, section: c.inputSection } }
/** Height left in the window, for `controls.module.css`. */
const setRoom = ({ availableHeight, elements }: { availableHeight: number; elements: { floating: HTMLElement } }) =>
  elements.floating.style.setProperty('--room', `${Math.floor(availableHeight)}px`)
const floating = { shadow: 'md', radius: 'lg', transitionProps: { transition: 'fade', duration: 120 } }
/** Limits a list of options to the window: behind a dialog the page does not scroll. */
const list = { ...floating, middlewares: { size: { padding: 8, apply: setRoom } } }
const listParts = { dropdown: c.dropdown, options: c.options, option: c.option }

export const components: MantineThemeComponents = {
  Button: { classNames: { root: c.button, label: c.buttonLabel, section: c.buttonSection } },
  ActionIcon: { defaultProps: { variant: 'subtle', size: 'md' }, classNames: { root: c.iconButton } },
  CloseButton: { classNames: { root: c.iconButton } },
  Input: input,
  InputWrapper: {
    defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
    classNames: { label: c.label, description: c.help, error: c.error, required: c.required },
  },
  PasswordInput: { classNames: { innerInput: c.innerInput, visibilityToggle: c.iconButton } },
  PillsInput: { classNames: { input: c.pills } },
  Pill: { classNames: { root: c.pill } },
  Select: { defaultProps: { withScrollArea: false, checkIconPosition: 'right' }, classNames: listParts },
  MultiSelect: { defaultProps: { withScrollArea: false }, classNames: { ...listParts, inputField: c.pillsField } },
  TagsInput: { defaultProps: { withScrollArea: false }, classNames: { ...listParts, inputField: c.pillsField } },
  Combobox: { defaultProps: list },
  Checkbox: { classNames: { root: c.checkbox, input: c.check, label: c.checkLabel, description: c.help, icon: c.checkIcon } },
  Radio: { classNames: { radio: c.radio, label: c.checkLabel, description: c.help } },
  Switch: { classNames: { root: c.switch, track: c.track, thumb: c.thumb, label: c.checkLabel, description: c.help } },
  Tabs: { classNames: { list: c.tabList, tab: c.tab } },
  SegmentedControl: {
    defaultProps: { transitionDuration: 0 },
    classNames: { root: c.segments, control: c.segment, indicator: c.segmentMark, label: c.segmentLabel },
  },
  Slider: { classNames: { bar: c.sliderBar, thumb: c.sliderThumb, track: c.sliderTrack, markLabel: c.help } },
  Modal: {
    defaultProps: { radius: 'lg', shadow: 'md', transitionProps: { transition: 'fade', duration: 120 } },
    classNames: { overlay: c.overlay, content: c.modal, title: c.modalTitle, body: c.modalBody },
  },
  Drawer: { classNames: { overlay: c.overlay, content: c.modal, title: c.modalTitle, body: c.modalBody } },
  Menu: {
    // The placeholder is a child that the menu role does not allow.
    defaultProps: { ...floating, withInitialFocusPlaceholder: false, returnFocus: true },
    classNames: { dropdown: c.dropdown, item: c.menuItem, label: c.menuLabel, divider: c.divider },
  },
  Popover: { defaultProps: floating, classNames: { dropdown: `${c.dropdown} ${c.popover}` } },
  Notification: { classNames: { root: c.note, icon: c.noteIcon, title: c.noteTitle, description: c.noteText } },
  Skeleton: { defaultProps: { animate: false }, classNames: { root: c.skeleton } },
  Loader: { defaultProps: { type: 'bars', size: 20 } },
  // The arrows have no accessible name by default.
  Pagination: {
    classNames: { control: c.page },
    defaultProps: { getControlProps: (control: Turn) => ({ 'aria-label': t(`ui.page.${control}`) }) },
  },
}
