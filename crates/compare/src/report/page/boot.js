
// The page: its report, drawn in place of the tables that are there without a script.
const report = [JSON.parse(document.getElementById("report").textContent)].flat();
report.forEach((one, number) => {
  const tables = document.getElementById(`figures-${number}`);
  const charts = document.createElement("div");
  tables.before(charts);
  draw(charts, one);
  tables.remove();
});
