import Testing

/// The configurations in `deploy/fronts`, each run by the real server in front of real files, with a gate deciding.
///
/// One server at a time: they are started and stopped for every test.
@Suite("Servers of others in front of editions", .serialized)
struct FrontTests {}
