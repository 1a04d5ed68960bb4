import Catalogues
import Gatefold
import Logging
import ServiceLifecycle

/// Keeps every publication's catalogue up to date, and announces editions when they appear.
struct CatalogueFollower: Service {
    let publications: CurrentPublications
    /// Until it is looked again at what is due.
    var pause: Duration = .seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    for kept in publications.value.catalogues.all {
                        // Who is being fetched already is left alone: a slow source holds nobody else up.
                        group.addTask { await kept.follow { publications.value.catalogues[kept.publication] === kept } }
                    }
                    try? await Task.sleep(for: pause)
                }
                group.cancelAll()
            }
        }
    }

    /// Before the server listens: waits a moment for catalogues of which nothing is remembered, and for no other.
    static func begin(_ catalogues: OpenCatalogues, sleep: @escaping @Sendable (Duration) async throws -> Void) async {
        let first = catalogues.all.filter(\.current.value.isAwaited)
        guard let patience = first.compactMap({ $0.plan?.firstWait }).max(), patience > 0 else { return }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { fetches in
                    for kept in first { fetches.addTask { await kept.follow() } }
                }
                return true
            }
            group.addTask {
                try? await sleep(.seconds(patience))
                return false
            }
            _ = await group.next()
            group.cancelAll()
        }
    }
}
