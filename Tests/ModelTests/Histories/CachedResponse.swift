import Gatefold

/// A response as a listener caches it, to repeat it for the same request in the same second.
struct CachedResponse {
    let second: Int
    let validity: CacheValidity
    /// A description for the report of a contradiction.
    let message: String
    /// Whether it equals the current response.
    let isCorrect: () throws -> Bool
}
