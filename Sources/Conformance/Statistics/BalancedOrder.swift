/// In which order things are asked, round by round, whose times are compared: Williams' square (1949).
///
/// In as many rounds as there are things, each stands once at each place, because what is first has another place in the server's
/// rhythm than what is second, and within a round once right behind each other, because a slow answer may slow down the next.
enum BalancedOrder {
    /// - Parameter count: an even number.
    static func round(_ number: Int, of count: Int) -> [Int] {
        (0..<count).map { place in
            let start = place.isMultiple(of: 2) ? place / 2 : count - (place + 1) / 2
            return (start + number) % count
        }
    }
}
