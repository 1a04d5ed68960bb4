import Testing

/// Tests of the configurations in `deploy/fronts`, each run by the real server with real files and a real gate.
///
/// The suite is serialized, because each test starts and stops servers.
@Suite("Front servers of other vendors", .serialized)
struct FrontTests {}
