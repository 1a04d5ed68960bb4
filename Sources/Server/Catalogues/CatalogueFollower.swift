import Catalogues
import Gatefold
import Logging
import ServiceLifecycle

/// A service that refreshes every publication's catalogue and announces editions when they appear.
struct CatalogueFollower: Service {
    let publications: ReloadableSnapshot
    /// The time between two checks for due catalogues. Default: 1 s.
    var pause: Duration = .seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    for catalogue in publications.value.catalogues.all {
                        // A catalogue that is already being fetched is skipped, so a slow source delays no other
                        // source.
                        group.addTask {
                            await catalogue.follow {
                                publications.value.catalogues[catalogue.publication] === catalogue
                            }
                        }
                    }
                    try? await Task.sleep(for: pause)
                }
                group.cancelAll()
            }
        }
    }

    /// Fetches the catalogues that have no cached editions, before the server listens. Waits at most the longest
    /// configured first wait, and does not wait for other catalogues.
    static func begin(_ catalogues: LiveCatalogueRegistry, sleep: @escaping @Sendable (Duration) async throws -> Void)
        async
    {
        let first = catalogues.all.filter(\.current.value.isPending)
        guard let startTimeout = first.compactMap({ $0.plan?.startupTimeout }).max(), startTimeout > 0 else { return }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { fetches in
                    for catalogue in first { fetches.addTask { await catalogue.follow() } }
                }
                return true
            }
            group.addTask {
                try? await sleep(.seconds(startTimeout))
                return false
            }
            _ = await group.next()
            group.cancelAll()
        }
    }
}
