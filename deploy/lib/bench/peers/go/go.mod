module gatefold.example/peer

go 1.19
