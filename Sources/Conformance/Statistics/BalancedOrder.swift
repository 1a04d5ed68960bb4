/// The order of requests whose times are compared, round by round: a Williams square (1949).
///
/// Over as many rounds as there are requests, each takes each position once, because the position affects the
/// server's rhythm. Each also follows each other once directly within a round, because a slow response may delay
/// the next.
enum BalancedOrder {
    /// - Parameter count: The number of requests. It must be even.
    static func round(_ number: Int, of count: Int) -> [Int] {
        (0..<count).map { place in
            let start = place.isMultiple(of: 2) ? place / 2 : count - (place + 1) / 2
            return (start + number) % count
        }
    }
}
