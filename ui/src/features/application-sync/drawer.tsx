import { namedBy } from "./model/named";
import { SyncPanel } from "./panel";

/** The panel over whatever page it is asked for from. */
export default function SyncDrawer({ id }: { id: string }) {
  return <SyncPanel {...namedBy(id)} />;
}
