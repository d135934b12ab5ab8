import { Outlet } from 'react-router'
import { ConnectionNote } from './connection-note.tsx'
import { Content, SkipLink } from './frame.tsx'

/** Frame around the account screens: no rail, no top bar. */
export function GateFrame() {
  return (
    <>
      <SkipLink />
      <ConnectionNote />
      <Content>
        <Outlet />
      </Content>
    </>
  )
}
