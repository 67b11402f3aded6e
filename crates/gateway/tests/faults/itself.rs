//! Tables that lead to the gateway itself.

use crate::folder::Folder;
use crate::server::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_route_that_asks_itself() {
    let server = Server::start(Folder::new()).await;
    let base = format!("http://127.0.0.1:{}", server.port);
    server.folder.write(
        "tables/me.ql",
        format!("create table me on select get from '{base}/me'; create table twice on select get from '{base}/twice?k={{k}}'"),
    );
    server.folder.write("routes/me.ql", "return select * from me via route '/me' using method get");
    server.folder.write(
        "routes/twice.ql",
        "return select * from twice where k in ('1', '2') via route '/twice?k={k}' using defaults k = '0' using method get",
    );
    server.serving.gateway.reload().expect("a good folder");
    let mut before = 0;
    for (path, most) in [("/me", 4), ("/twice", 2 + 4 + 8 + 16)] {
        let answer = server.get(path).await;
        assert_eq!(answer.failure(), (400, "upstream_status"), "{path}");
        let text = server.serving.gateway.metrics_text();
        let line = text.lines().find(|line| line.starts_with("polywire_backend_requests_total")).expect("a count");
        let count: usize = line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a number");
        assert!(count - before <= most, "{path}: {} requests", count - before);
        before = count;
    }
    server.is_well().await;
}
