module komadori

go 1.26
