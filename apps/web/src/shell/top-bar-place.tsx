/** Lets a screen put its own words into the phone's top bar, instead of a second head below it. */
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

/** For the bar itself: where the words go. */
export function useTopBarPlace() {
  return useContext(Place).set
}

/** Shown in place of the site's name while it is on screen: `<InTopBar>Tideline Finals <Countdown …/></InTopBar>`. */
export function InTopBar({ children }: { readonly children: ReactNode }) {
  const { element } = useContext(Place)
  return element ? createPortal(children, element) : null
}
