/** The advisory lock of a tag, whose name is the first parameter: fills, advances and whoever detaches days exclude each other. */
export const TAG_LOCK_KEY = `hashtextextended('rankcast:fill:' || current_schema() || ':' || $1, 0)`;
