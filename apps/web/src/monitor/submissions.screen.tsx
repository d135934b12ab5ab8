import { MonitorFrame } from './monitor-frame.tsx'
import { SubmissionFeed } from './submission-feed.tsx'

export default function SubmissionsScreen() {
  return <MonitorFrame tab="Submissions">{(inGame) => <SubmissionFeed {...inGame} />}</MonitorFrame>
}
