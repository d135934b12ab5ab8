import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './rail.module.css'

export function useScheme() {
  const { t } = useTranslation()
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false })
  const target = scheme === 'dark' ? 'light' : 'dark'
  return {
    target,
    name: t(`shell.${target}`),
    flip: () => setColorScheme(target),
    Icon: target === 'light' ? IconSun : IconMoon,
  } as const
}

export function SchemeSwitch({ rail }: { readonly rail?: boolean }) {
  const { name, flip, Icon } = useScheme()
  return (
    <Tooltip label={name} position={rail ? 'right' : 'bottom'}>
      <ActionIcon className={rail ? c.entry : undefined} tabIndex={rail ? -1 : 0} aria-label={name} onClick={flip}>
        <Icon size={22} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
