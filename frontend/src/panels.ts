// The front end: every panel, by the name that Python's `Component` or `Kind` calls it.

import { ArchitecturePanel } from "./architecture/panel.ts";
import { DecodingPanel } from "./decoding/panel.ts";
import { ProgressPanel } from "./exercises/progress.ts";
import { ArcsPanel, GlancePanel, QueryKeyPanel } from "./heads/explore.ts";
import { KnockOutPanel } from "./heads/knock_out.ts";
import { LensPanel } from "./heads/lens.ts";
import { component, panel } from "./kit/component.ts";
import { SceneBar } from "./lecture/bar.ts";
import { NotesPanel } from "./lecture/notes.ts";
import { PathPanel } from "./lecture/path.ts";
import { PredictPanel } from "./lecture/predict.ts";
import { MatrixPanel } from "./matrix/panel.ts";
import { TracePanel } from "./overview/panel.ts";
import { PlotsPanel } from "./plots/panel.ts";
import { RoomPanel } from "./room/panel.ts";
import { SharePanel } from "./share/panel.ts";
import { SliderBar } from "./sliders/slider_bar.ts";
import { TablesPanel } from "./tables/table_view.ts";
import { TermsPanel } from "./terms/panel.ts";
import { FilmPanel } from "./training/panel.ts";
import { KernelPanel } from "./why_attention/kernel_panel.ts";
import { PathsPanel } from "./why_attention/paths_panel.ts";

export default component({
  architecture_view: panel(ArchitecturePanel),
  decoding_view: panel(DecodingPanel),
  film_view: panel(FilmPanel),
  heads_arcs: panel(ArcsPanel),
  heads_glance: panel(GlancePanel),
  heads_knock_out: panel(KnockOutPanel),
  heads_lens: panel(LensPanel),
  heads_query_key: panel(QueryKeyPanel),
  kernel_view: panel(KernelPanel),
  matrix_view: panel(MatrixPanel),
  notes_view: panel(NotesPanel),
  path_view: panel(PathPanel),
  paths_view: panel(PathsPanel),
  plot_view: panel(PlotsPanel),
  predict_view: panel(PredictPanel),
  progress: panel(ProgressPanel, { isOwn: true }),
  room: panel(RoomPanel, { isOwn: true }),
  scene_bar: panel(SceneBar),
  share: panel(SharePanel, { isOwn: true }),
  slider_bar: panel(SliderBar),
  table_view: panel(TablesPanel),
  terms: panel(TermsPanel),
  trace_view: panel(TracePanel),
});
