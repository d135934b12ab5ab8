import { useNotifications } from '@mantine/notifications'
import { lazyPart } from '../base/lazy-part.tsx'

const ToastList = lazyPart(() => import('./toast-list.tsx'))

export function Toasts() {
  return <ToastList wanted={useNotifications().notifications.length > 0} />
}
