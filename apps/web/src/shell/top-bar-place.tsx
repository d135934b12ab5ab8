/** Lets a screen render into the phone's top bar, instead of a second head. */
import { createContext, type ReactNode, useContext, useState } from 'react'
import { createPortal } from 'react-dom'

const Place = createContext<{ element: HTMLElement | null; set: (element: HTMLElement | null) => void }>({
  element: null,
  set: () => {},
})

export function TopBarPlaceProvider({ children }: { readonly children: ReactNode }) {
  const [element, set] = useState<HTMLElement | null>(null)
  return <Place.Provider value={{ element, set }}>{children}</Place.Provider>
}

/** For the bar itself. */
export function useTopBarPlace() {
  return useContext(Place).set
}

/** Replaces the site's name while mounted: `<InTopBar>Tideline Finals <Countdown …/></InTopBar>`. */
export function InTopBar({ children }: { readonly children: ReactNode }) {
  const { element } = useContext(Place)
  return element ? createPortal(children, element) : null
}
