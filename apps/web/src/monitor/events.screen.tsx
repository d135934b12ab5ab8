import { EventFeed } from './event-feed.tsx'
import { MonitorFrame } from './monitor-frame.tsx'

export default function EventsScreen() {
  return <MonitorFrame tab="Events">{(inGame) => <EventFeed {...inGame} />}</MonitorFrame>
}
