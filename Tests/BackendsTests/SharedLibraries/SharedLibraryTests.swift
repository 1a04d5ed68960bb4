import SharedLibraries
import Testing

@Suite("A library that is loaded when it is needed")
struct SharedLibraryTests {
    @Test("and missing is reported by the name of its Debian package")
    func missing() {
        let error = #expect(throws: SharedLibraryError.self) {
            try SharedLibrary("libno-such-thing.so.9", package: "libno-such-thing9")
        }
        #expect(
            error?.description
                == "needs libno-such-thing.so.9, which is not installed: apt-get install libno-such-thing9")
    }

    @Test("has the functions it has, and says which it lacks")
    func functions() throws {
        let library = try SharedLibrary("libm.so.6", package: "libc6")
        let cosine: @convention(c) (Double) -> Double = try library.function("cos")
        #expect(cosine(0) == 1)
        #expect(
            throws: SharedLibraryError.tooOld(library: "libm.so.6", function: "no_such_function", package: "libc6")
        ) {
            let _: @convention(c) () -> Void = try library.function("no_such_function")
        }
    }
}
