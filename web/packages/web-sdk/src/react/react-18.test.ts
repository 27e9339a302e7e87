import { describeReact } from "../../testing/react-suite.ts";

await describeReact(18);
