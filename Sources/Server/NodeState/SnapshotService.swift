import NIOPosix
import Primitives
import SQLAccess
import ServiceLifecycle
import State

/// A service that writes the snapshot of revocations until the server stops, and then once more.
struct SnapshotService: Service {
    let snapshot: RevocationSnapshot
    let observe: @Sendable (SnapshotEvent) -> Void
    private let failures = LogRateLimiter()

    init(snapshot: RevocationSnapshot, observe: @escaping @Sendable (SnapshotEvent) -> Void) {
        self.snapshot = snapshot
        self.observe = observe
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await save(isLast: false)
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
        await save(isLast: true)
    }

    private func save(isLast: Bool) async {
        do {
            try await NIOThreadPool.singleton.runIfActive { try snapshot.save(isLast: isLast) }
        } catch {
            // The node works without the file, but could not start without its store.
            if failures.admits() { observe(.notWritten(cause: "\(error)")) }
        }
    }
}
