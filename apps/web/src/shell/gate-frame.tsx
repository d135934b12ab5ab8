import { Outlet } from 'react-router'
import { ConnectionNote } from './connection-note.tsx'
import { Content, SkipLink } from './frame.tsx'

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
